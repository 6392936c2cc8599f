// `npm run check:house [gate ...] [--count]`: what the gates of the house object to. Without names, all of them.
// `--hold` fails only where a gate objects to more than it is known to: what is there may only become less.
import path from "node:path";
import { gates, known } from "./house/gates.ts";
import { readSourceTree } from "./house/source-tree.ts";

const words = process.argv.slice(2);
const named = words.filter((word) => !word.startsWith("--"));
const unknown = named.filter((name) => gates[name] === undefined);
if (unknown.length > 0) throw new Error(`no gate ${unknown.join(", ")}; there are ${Object.keys(gates).join(", ")}`);

const tree = readSourceTree(path.join(import.meta.dirname, ".."));
let total = 0;
for (const [name, gate] of Object.entries(gates)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const findings = gate(tree);
  const allowed = words.includes("--hold") ? (known[name] ?? 0) : 0;
  const isHeld = findings.length <= allowed;
  total += isHeld ? 0 : findings.length;
  if (!words.includes("--count") && !isHeld)
    for (const { file, line, problem } of findings) console.log(`${file}:${line}  ${problem}`);
  const about = allowed === 0 ? "" : ` (at most ${allowed})`;
  console.log(`${isHeld ? "ok  " : "FAIL"} ${name}: ${findings.length}${about}`);
}
process.exitCode = total > 0 ? 1 : 0;
