import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { silentLogger } from "#foundation/files/logger";
import { openStore } from "#store";
import { Agenda } from "./gateway-simulation/agenda.ts";
import { arrivalsOf } from "./gateway-simulation/day.ts";
import { SimulatedDeployment } from "./gateway-simulation/deployment.ts";
import { Figures } from "./gateway-simulation/figures.ts";

/**
 * A day of many people against the real inbox, leases, turns and outbox, on a clock that jumps from one thing to the
 * next. Prints what people would have waited for, and what a message costs the store in time of the processor.
 */
const { values } = parseArgs({
  options: {
    users: { type: "string", default: "100000" },
    active: { type: "string", default: "0.4" },
    "messages-each": { type: "string", default: "3" },
    accounts: { type: "string", default: "4" },
    hot: { type: "string", default: "500" },
    workers: { type: "string", default: "4" },
    slots: { type: "string", default: "16" },
    "turn-seconds": { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
  },
});
const number = (name: keyof typeof values): number => Number(values[name]);
const midnight = Date.UTC(2026, 0, 1);
const seed = number("seed");
const arrivals = arrivalsOf({
  users: number("users"),
  active: number("active"),
  messagesEach: number("messages-each"),
  accounts: number("accounts"),
  hot: number("hot"),
  seed,
});
const folder = await mkdtemp(path.join(tmpdir(), "hermes-simulation-"));
try {
  const file = path.join(folder, "state.db");
  const agenda = new Agenda(midnight);
  const figures = new Figures();
  await using store = await openStore({ path: file }, { clock: agenda.clock, log: silentLogger });
  const deployment = new SimulatedDeployment(
    { store, agenda, figures },
    {
      workers: number("workers"),
      slots: number("slots"),
      turnSeconds: number("turn-seconds"),
      perAccount: 30,
      perChat: 1,
      seed: seed + 1,
    },
  );
  for (const [index, arrival] of arrivals.entries())
    agenda.at(midnight + arrival.atMs, () => deployment.arrive(arrival, index));
  const before = process.cpuUsage();
  await agenda.play();
  const { user, system } = process.cpuUsage(before);
  const rows: readonly (readonly [string, string])[] = [
    [
      "people / workers / chats served at once",
      `${number("users")} / ${number("workers")} / ${number("workers") * number("slots")}`,
    ],
    ...figures.rows(),
    ["processor time per message, ms", ((user + system) / 1000 / Math.max(1, arrivals.length)).toFixed(2)],
    ["store after the day, MB", ((await stat(file)).size / 1_048_576).toFixed(0)],
  ];
  for (const [what, figure] of rows) process.stdout.write(`${`${what}:`.padEnd(48)} ${figure}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
