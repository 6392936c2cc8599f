import { plural } from "#foundation/text/figures";
import type { Snapshot, UndoReport, WorkspaceSnapshots } from "#tools";

/** The files of the session's folder as they were before changes. */
export interface CheckpointService {
  /** Newest first. */
  list(signal: AbortSignal): Promise<readonly Snapshot[]>;
  diff(id: string, signal: AbortSignal): Promise<string>;
  /** One file or all of them; says what was done. */
  restore(id: string, file: string | undefined, signal: AbortSignal): Promise<string>;
  /** Takes back what the turn of a message changed; says what was done, undefined when it changed nothing. */
  undo(turn: string, signal: AbortSignal): Promise<string | undefined>;
  /** Words were taken back, and with them what the model had read. */
  takenBack(): void;
}

export interface CheckpointDeps {
  readonly snapshots: WorkspaceSnapshots;
  /** What the session's snapshots are of. */
  folder(): Promise<string>;
  onTakenBack(): void;
}

export function checkpointService({ snapshots, folder, onTakenBack }: CheckpointDeps): CheckpointService {
  return {
    list: async (signal) => await snapshots.list(await folder(), signal),
    diff: async (id, signal) => await snapshots.diff(await folder(), id, signal),
    restore: async (id, file, signal) =>
      restoredText({ ...(await snapshots.restore(await folder(), { id, file }, signal)), changedSince: [] }) ??
      "The files are as they were then.",
    undo: async (turn, signal) => restoredText(await snapshots.undoTurn(turn, signal)),
    takenBack: onTakenBack,
  };
}

/** What going back did, in a sentence or two; undefined when there was nothing to do. */
function restoredText(report: UndoReport): string | undefined {
  const isOwn = (name: string): boolean => !`/${name}`.includes("/.git/");
  const [restored, removed] = [report.restored.filter(isOwn).length, report.removed.filter(isOwn).length];
  const hasGit = [...report.restored, ...report.removed].some((name) => !isOwn(name));
  const done = [
    ...(restored === 0 ? [] : [`${plural(restored, "file")} restored`]),
    ...(removed === 0 ? [] : [`${plural(removed, "file")} created since then removed`]),
    ...(hasGit ? ["git is where it was"] : []),
  ].join(", ");
  const sentences = [
    ...(done === "" ? [] : [`${done}.`]),
    ...(report.changedSince.length === 0
      ? []
      : [
          `Changed again since, so left as ${isOne(report.changedSince) ? "it is" : "they are"}: ${named(report.changedSince)}.`,
        ]),
    ...(report.onlyGone === undefined
      ? []
      : [`Only what was gone came back, because the files as they are now cannot be kept: ${report.onlyGone}.`]),
    ...(report.missing.length === 0 ? [] : [`Could not be restored: ${named(report.missing)}.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

const mostNames = 5;

function isOne(names: readonly string[]): boolean {
  return names.length === 1;
}

function named(names: readonly string[]): string {
  const more = names.length - mostNames;
  return `${names.slice(0, mostNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
