import type { VNode } from "preact";

/** Why the last call was refused. */
export function Problem({ text }: { readonly text: string }): VNode | null {
  return text === "" ? null : <p role="alert">{text}</p>;
}
