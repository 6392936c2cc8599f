import { availableParallelism, loadavg } from "node:os";
import { measureChildren } from "./agent-children.ts";
import { measureFirstRequest } from "./agent-first-request.ts";
import { measureOverhead, type Overhead } from "./agent-overhead.ts";

/**
 * What the agent costs: per step at growing histories, for twenty children at once, and in tokens before anything
 * was said. Exits with 1 when a target is missed.
 */
const missed: string[] = [];
const say = (line = ""): void => void process.stdout.write(`${line}\n`);
const check = (isMet: boolean, target: string): string => {
  if (!isMet) missed.push(target);
  return isMet ? "met" : "MISSED";
};

await overhead();
await children();
await firstRequest();
say();
say(missed.length === 0 ? "All targets met." : `Missed: ${missed.join("; ")}`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function overhead(): Promise<void> {
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
  say(`Between the end of an answer and the next request, medians in ms (${load})`);
  say("messages   body kB   agent   agent cpu    bare   bare cpu   overhead (cpu)   agent/bare (cpu)");
  for (let round = 0; round < 3; round += 1) await measureOverhead(100);
  const rows: Overhead[] = [];
  for (const messages of [10, 100, 1_000, 2_000]) rows.push(await measureOverhead(messages));
  for (const row of rows) {
    const cells = [
      row.messages.toString().padStart(8),
      (row.bodyBytes / 1024).toFixed(0).padStart(9),
      row.wallMs.toFixed(2).padStart(7),
      row.cpuMs.toFixed(2).padStart(11),
      row.bareWallMs.toFixed(2).padStart(7),
      row.bareCpuMs.toFixed(2).padStart(10),
      row.overheadMs.toFixed(2).padStart(16),
      (row.cpuMs / row.bareCpuMs).toFixed(1).padStart(18),
    ];
    say(cells.join(" "));
  }
  const at = (messages: number): number => rows.find((row) => row.messages === messages)?.overheadMs ?? Number.NaN;
  const growth = at(2_000) / at(1_000);
  say(`under 5 ms at 1,000 messages: ${check(at(1_000) < 5, "overhead at 1,000 messages")}`);
  // Twice the messages cost at most twice the time; the rest is room for noise.
  say(`linear (2,000 against 1,000: ${growth.toFixed(2)}x): ${check(growth < 2.6, "linear overhead")}`);
}

async function children(): Promise<void> {
  say();
  say("Children, four steps each");
  await measureChildren(2, undefined);
  const [oneMs, twentyMs] = [await measureChildren(1, 100), await measureChildren(20, 100)];
  say(
    `model answers in 100 ms: one ${oneMs.toFixed(0)} ms, twenty in parallel ${twentyMs.toFixed(0)} ms (${(twentyMs / oneMs).toFixed(2)}x)`,
  );
  const [oneBusyMs, twentyBusyMs] = [await measureChildren(1, undefined), await measureChildren(20, undefined)];
  say(`model answers at once: one ${oneBusyMs.toFixed(0)} ms, twenty ${twentyBusyMs.toFixed(0)} ms`);
  say(`at the same time, not one after the other: ${check(twentyMs < oneMs * 4, "twenty children")}`);
}

async function firstRequest(): Promise<void> {
  const first = await measureFirstRequest(process.argv[2] ?? process.cwd());
  say();
  say("First request on a clean install, default toolset of the terminal (tokens)");
  for (const { name, tokens } of first.layers) say(`  ${name.padEnd(24)} ${tokens.toString().padStart(6)}`);
  say(`system                     ${first.systemTokens.toString().padStart(6)}`);
  for (const { name, tokens } of first.tools.toSorted((left, right) => right.tokens - left.tokens))
    say(`  ${name.padEnd(24)} ${tokens.toString().padStart(6)}`);
  say(`${`${first.tools.length} tools`.padEnd(26)} ${first.toolTokens.toString().padStart(6)}`);
  say(`all                        ${first.totalTokens.toString().padStart(6)}`);
  if (first.absent.length > 0) say(`not offered here: ${first.absent.join(", ")}`);
  say(`at most 8,000: ${check(first.totalTokens <= 8_000, "tokens of the first request")}`);
}
