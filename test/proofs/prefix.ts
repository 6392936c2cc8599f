import { describeBreak, PrefixWatch } from "../../src/agent/prompt/prefix-watch.ts";
import type { LedgerEntry } from "../fakes/model-server/index.ts";
import { mainModel, makeProject, playSession, spareModel } from "./prefix-session.ts";

export interface PrefixReport {
  readonly steps: number;
  readonly requests: number;
  readonly compressions: number;
  readonly resumes: number;
  readonly modelChanges: number;
  /** Of all bytes of the request before, how many begin the next one; breaks by compression left out. */
  readonly keptShare: number;
  /** The same on the wire, between requests to the same model. */
  readonly keptShareOnWire: number;
  readonly breaks: readonly string[];
  readonly unexplained: readonly string[];
  /** What the simulated cache charged for all calls, summaries included, against the same work without a disturbance. */
  readonly costRatio: number;
  readonly readShare: number;
  readonly failed: readonly string[];
}

const compressionCause = /compress|prun/i;

const fallbackIn = 5;

/** Sixty steps with everything that could disturb the beginning of a request, and what became of it. */
export async function provePrefix(turns = 12): Promise<PrefixReport> {
  const watch = new PrefixWatch();
  const breaks: string[] = [];
  const unexplained: string[] = [];
  let previousBytes = 0;
  let kept = 0;
  let sent = 0;
  await using project = await makeProject();
  await using session = await playSession(
    {
      turns,
      contextWindow: 14_000,
      resumeAfter: (turn) => turn === 2 || turn === 8,
      fallbackIn,
      onRequest(request, cause) {
        const report = watch.observe(request, cause);
        if (report.kind === "break") {
          breaks.push(describeBreak(report));
          if (report.cause === undefined) unexplained.push(describeBreak(report));
        }
        const isCompressed = report.kind === "break" && compressionCause.test(report.cause ?? "");
        if (report.kind !== "first" && !isCompressed) {
          kept += report.sharedBytes;
          sent += previousBytes;
        }
        previousBytes = report.totalBytes;
      },
    },
    project.folder,
  );
  session.server.assertClean();
  const all = session.server.ledger.entries;
  const entries = all.filter(({ model }) => model === mainModel || model === spareModel);
  return {
    steps: session.steps,
    requests: session.server.requests.length,
    compressions: session.compressions,
    resumes: session.resumes,
    modelChanges: entries.filter(({ model }, index) => index > 0 && entries[index - 1]?.model !== model).length,
    keptShare: kept / sent,
    keptShareOnWire: wireShare(entries),
    breaks,
    unexplained,
    costRatio: sum(all, ({ cost }) => cost) / (await idealCost(turns, project.folder)),
    readShare: sum(entries, ({ cacheRead }) => cacheRead) / sum(entries, ({ inputTokens }) => inputTokens),
    failed: session.failed,
  };
}

/** The same work with room for everything and no resume. The change of the model stays: another model has no cache of it. */
async function idealCost(turns: number, project: string): Promise<number> {
  await using session = await playSession(
    { turns, contextWindow: 500_000, resumeAfter: () => false, fallbackIn },
    project,
  );
  const { cost, costRatio } = session.server.ledger.totals();
  if (costRatio !== 1 || session.compressions > 0) throw new Error("the undisturbed session was disturbed");
  return cost;
}

function sum(entries: readonly LedgerEntry[], pick: (entry: LedgerEntry) => number): number {
  return entries.reduce((total, entry) => total + pick(entry), 0);
}

/** Requests with fewer bytes than the one before begin anew after compression; the others continue. */
function wireShare(entries: readonly LedgerEntry[]): number {
  let kept = 0;
  let sent = 0;
  for (const model of [mainModel, spareModel]) {
    const own = entries.filter((entry) => entry.model === model);
    for (const [index, entry] of own.entries()) {
      const before = own[index - 1];
      if (before === undefined || entry.bytes < before.bytes) continue;
      kept += entry.prefixBytesShared;
      sent += before.bytes;
    }
  }
  return kept / sent;
}
