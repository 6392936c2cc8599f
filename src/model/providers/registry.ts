import { disposable } from "#foundation/disposal";
import { nearest } from "#foundation/text";
import { openAiCompatible } from "./openai-compatible.ts";
import type { ProviderProfile } from "./provider.ts";
import { specialProviders } from "./special.ts";

/** Built-in profiles in the order `auto` tries them. */
export const builtinProviders: readonly ProviderProfile[] = [...openAiCompatible, ...specialProviders];

/** Ids and aliases to profiles. One name means one provider; a second claim to a name is refused. */
export class ProviderRegistry {
  readonly #byName = new Map<string, ProviderProfile>();
  readonly #order: ProviderProfile[] = [];

  constructor(profiles: readonly ProviderProfile[] = builtinProviders) {
    for (const one of profiles) this.register(one);
  }

  /** Plugins add providers here; disposing takes the provider away again. */
  register(added: ProviderProfile): Disposable {
    const names = [added.id, ...added.aliases].map((name) => name.toLowerCase());
    const taken = names.find((name) => this.#byName.has(name));
    if (taken !== undefined) {
      const holder = this.#byName.get(taken)?.id;
      throw new Error(`provider "${added.id}" wants the name "${taken}", which belongs to "${holder}"`);
    }
    for (const name of names) this.#byName.set(name, added);
    this.#order.push(added);
    return disposable(() => {
      for (const name of names) if (this.#byName.get(name) === added) this.#byName.delete(name);
      const at = this.#order.indexOf(added);
      if (at >= 0) this.#order.splice(at, 1);
    });
  }

  /** By id or alias, in any case. */
  find(name: string): ProviderProfile | undefined {
    return this.#byName.get(name.trim().toLowerCase());
  }

  all(): readonly ProviderProfile[] {
    return [...this.#order];
  }

  /** What a mistyped name most likely meant. */
  suggest(name: string): string | undefined {
    return nearest(name, this.#byName.keys());
  }
}
