import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { openStore } from "#store";
import { Agenda } from "../../scripts/gateway-simulation/agenda.ts";
import { arrivalsOf } from "../../scripts/gateway-simulation/day.ts";
import { SimulatedDeployment } from "../../scripts/gateway-simulation/deployment.ts";
import { Figures } from "../../scripts/gateway-simulation/figures.ts";

/** What `npm run simulate:gateway` prints, of a small town. */
async function day(options: { readonly users: number; readonly hot: number; readonly slots: number }) {
  const agenda = new Agenda(Date.UTC(2026, 0, 1));
  const figures = new Figures();
  await using store = await openStore({ memory: true }, { clock: agenda.clock, log: silentLogger });
  const pace = { workers: 2, turnSeconds: 12, perAccount: 30, perChat: 1, seed: 2 };
  const deployment = new SimulatedDeployment({ store, agenda, figures }, { ...pace, slots: options.slots });
  const arrivals = arrivalsOf({ ...options, active: 0.4, messagesEach: 3, accounts: 2, seed: 7 });
  for (const [index, arrival] of arrivals.entries())
    agenda.at(agenda.clock.now() + arrival.atMs, () => deployment.arrive(arrival, index));
  await agenda.play();
  return { arrivals: arrivals.length, rows: new Map(figures.rows()), left: await store.inbox.counts() };
}

describe("a day of many people on the real queues", () => {
  it("loses nothing, keeps every chat in order and leaves nothing behind", async () => {
    const { arrivals, rows, left } = await day({ users: 400, hot: 40, slots: 2 });
    expect(rows.get("messages taken in")).toBe(String(arrivals));
    expect(rows.get("messages answered")).toBe(String(arrivals));
    expect(rows.get("lost")).toBe("0");
    expect(rows.get("out of order")).toBe("0");
    expect(left).toMatchObject({ pending: 0, claimed: 0, dead: 0 });
  });

  it("lets one chat that runs hot wait for itself, not the others", async () => {
    const { rows } = await day({ users: 200, hot: 150, slots: 4 });
    const p95 = (name: string): number => Number(/\/ ([\d.]+) s \//.exec(rows.get(name) ?? "")?.[1]);
    expect(p95("wait in the hot chat, p50 / p95 / p99")).toBeGreaterThan(10);
    expect(p95("wait for a turn, p50 / p95 / p99")).toBeLessThan(1);
  });
});
