import type { ComponentChildren, FunctionComponent } from "preact";
import { useMemo } from "preact/hooks";

/** Draws again only when a property is another one. `draw` uses no hooks. */
export function memo<P extends object>(draw: (props: P) => ComponentChildren): FunctionComponent<P> {
  return (props) => useMemo(() => draw(props), Object.values(props));
}
