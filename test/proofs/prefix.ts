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
  /** What the simulated cache charged against the best it could have done, requests right after a compression left out. */
  readonly costRatio: number;
  /** With them: the ideal then supposes that a compressed beginning could be read back. */
  readonly wholeCostRatio: number;
  readonly readShare: number;
  readonly failed: readonly string[];
}

const compressionCause = /compress|prun/i;

/** Sixty steps with everything that could disturb the beginning of a request, and what became of it. */
export async function provePrefix(turns = 12): Promise<PrefixReport> {
  const watch = new PrefixWatch();
  const breaks: string[] = [];
  const unexplained: string[] = [];
  const compressed = new Set<number>();
  let resumed: string | undefined;
  let asked = 0;
  let previousBytes = 0;
  let kept = 0;
  let sent = 0;
  await using project = await makeProject();
  await using session = await playSession(
    {
      turns,
      contextWindow: 14_000,
      resumeAfter: (turn) => turn === 2 || turn === 8,
      fallbackIn: 5,
      // What was shortened is whole again in storage, so the first request after a resume shows it whole once more.
      onResume: (hadCompressed) => {
        resumed = hadCompressed ? "resume after pruning" : undefined;
      },
      onRequest(request, cause) {
        const report = watch.observe(request, cause ?? resumed);
        resumed = undefined;
        if (report.kind === "break") {
          breaks.push(describeBreak(report));
          if (report.cause === undefined) unexplained.push(describeBreak(report));
        }
        const isCompressed = report.kind === "break" && compressionCause.test(report.cause ?? "");
        asked += 1;
        if (isCompressed) compressed.add(asked);
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
  const isMain = ({ model }: { readonly model: string }): boolean => model === mainModel || model === spareModel;
  const entries = session.server.ledger.entries.filter(isMain);
  const numbers = session.server.requests.filter(isMain).map(({ number }) => number);
  const afterCompression = new Set([...compressed].map((index) => numbers[index - 1]));
  const steady = entries.filter(({ requestNumber }) => !afterCompression.has(requestNumber));
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
    costRatio: ratioOf(steady),
    wholeCostRatio: ratioOf(entries),
    readShare: sum(entries, ({ cacheRead }) => cacheRead) / sum(entries, ({ inputTokens }) => inputTokens),
    failed: session.failed,
  };
}

function ratioOf(entries: readonly LedgerEntry[]): number {
  return sum(entries, ({ cost }) => cost) / sum(entries, ({ idealCost }) => idealCost);
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
