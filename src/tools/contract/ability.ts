import { ToolFailure } from "./result.ts";

/** Something the agent that makes a call can do for its tools. Whoever defines the tool defines the ability. */
export interface Ability<T> {
  readonly key: symbol;
  /** What a model reads where the agent cannot do it. */
  readonly missing: string;
  /** Never there; carries the type. */
  readonly of?: T;
}

export function defineAbility<T>(name: string, missing: string): Ability<T> {
  return { key: Symbol(name), missing };
}

/** What the agent of a call can do. A value: giving it one more ability makes another. */
export class Abilities {
  readonly #held: ReadonlyMap<symbol, unknown>;

  constructor(held: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#held = held;
  }

  /** With this ability too; undefined takes it away. */
  with<T>(ability: Ability<T>, value: T | undefined): Abilities {
    const held = new Map(this.#held);
    if (value === undefined) held.delete(ability.key);
    else held.set(ability.key, value);
    return new Abilities(held);
  }

  /** Rejects the call where the agent cannot do this. */
  need<T>(ability: Ability<T>): T {
    const value = this.#held.get(ability.key);
    if (value === undefined) throw new ToolFailure(ability.missing);
    return value as T;
  }
}

/** Of calls that no agent makes, or that may not use what is its own: those of scripts and plugins. */
export const noAbilities = new Abilities();
