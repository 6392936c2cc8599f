import type { ComponentChildren, VNode } from "preact";
import type { Loaded } from "../shell/use-loaded.ts";

/** What is shown of a value that has to be fetched first. */
export function Loading<T>({
  of,
  children,
}: {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}): VNode {
  if (of.kind === "ready") return <>{children(of.value)}</>;
  return of.kind === "loading" ? <p role="status">Loading…</p> : <p role="alert">{of.message}</p>;
}
