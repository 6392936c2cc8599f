import type { VNode } from "preact";

interface FactProps {
  readonly name: string;
  readonly value: string;
  /** A path or a sentence, which needs more room than a figure. */
  readonly isLong?: boolean;
}

/** One figure with its name. */
export function Fact({ name, value, isLong = false }: FactProps): VNode {
  return (
    <div class={isLong ? "long" : undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
