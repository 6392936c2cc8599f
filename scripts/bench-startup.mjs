// `npm run bench:startup`: what starting Hermes costs, as ratios to `node -e 0` measured in the same run.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { ensureBuilt, ensureInstalled, root } from "./lib/run.mjs";

await ensureInstalled();
await ensureBuilt();
// Reading extra certificates alone costs tens of milliseconds on Node 20 and is not ours to measure.
const { NODE_EXTRA_CA_CERTS: _ignored, NODE_OPTIONS: _also, ...env } = process.env;
const rounds = Number(process.argv[2] ?? 40);
const main = path.join(root, "dist", "cli", "main.js");
const cases = [
  ["node -e 0", ["-e", "0"]],
  ["hermes --version", [main, "--version"]],
  ["hermes --help", [main, "--help"]],
];
const times = new Map(cases.map(([name]) => [name, []]));
for (let round = -3; round < rounds; round += 1) {
  for (const [name, args] of cases) {
    const startedAt = process.hrtime.bigint();
    const child = spawnSync(process.execPath, args, { env, stdio: "ignore" });
    const ms = Number(process.hrtime.bigint() - startedAt) / 1e6;
    if (child.status !== 0) throw new Error(`${name} ended with ${child.status}`);
    if (round >= 0) times.get(name).push(ms);
  }
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const floor = median(times.get("node -e 0"));
console.log(`Median of ${rounds} rounds, interleaved, Node ${process.versions.node}`);
for (const [name, values] of times) {
  const ms = median(values);
  console.log(`${name.padEnd(20)} ${ms.toFixed(1).padStart(7)} ms   ${(ms / floor).toFixed(2)}x`);
}
console.log(`Target: hermes --version at most 1.60x`);
