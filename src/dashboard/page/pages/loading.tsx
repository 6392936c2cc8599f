import type { ComponentChildren, VNode } from "preact";
import type { Loaded } from "../shell/use-loaded.tsx";

/** What is shown of a value that has to be fetched first. */
export function Loading<T>({
  of,
  children,
}: {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}): VNode {
  if (of.kind === "loading") return <p role="status">Loading…</p>;
  if (of.kind === "failed") return <p role="alert">{of.message}</p>;
  return (
    <>
      {of.problem !== "" && <p role="alert">{of.problem}</p>}
      {children(of.value)}
    </>
  );
}
