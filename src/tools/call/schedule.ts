import type { Concurrency } from "../contract/tool.ts";

/** A call as the scheduler sees it. */
export interface Scheduled {
  readonly concurrency: Concurrency;
  /** For `concurrency: "path"`. */
  readonly paths: readonly string[];
  readonly isReadOnly?: boolean;
}

/**
 * Groups of calls (by index) that may run together; the groups run one after another, so a call
 * that may not overlap is a barrier. An interactive call makes everything sequential.
 */
export function planBatches(calls: readonly Scheduled[]): readonly (readonly number[])[] {
  if (calls.some((call) => call.concurrency === "never")) return calls.map((_, index) => [index]);
  const batches: number[][] = [];
  let open: number[] = [];
  let held: { readonly path: string; readonly isReadOnly: boolean }[] = [];
  const flush = (): void => {
    if (open.length > 0) batches.push(open);
    open = [];
    held = [];
  };
  for (const [index, call] of calls.entries()) {
    const isAlone = call.concurrency === "serial" || (call.concurrency === "path" && call.paths.length === 0);
    if (isAlone) {
      flush();
      batches.push([index]);
      continue;
    }
    const isReadOnly = call.isReadOnly === true;
    const paths = call.concurrency === "path" ? call.paths.map(normalPath) : [];
    const conflicts = (path: string): boolean =>
      held.some((other) => !(isReadOnly && other.isReadOnly) && overlaps(path, other.path));
    if (paths.some(conflicts)) flush();
    open.push(index);
    held.push(...paths.map((path) => ({ path, isReadOnly })));
  }
  flush();
  return batches;
}

function normalPath(path: string): string {
  return path.replace(/\/+/g, "/").replace(/^\.\//, "").replace(/\/$/, "");
}

/** One lies inside the other, or they are the same. */
function overlaps(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}
