import { disposable } from "#foundation/lifecycle/disposal";
import { nearest } from "#foundation/text/text";
import { checkProfile } from "./check-profile.ts";
import { hostMatches, hostOf, parseUrl } from "./hosts.ts";
import type { ProviderProfile } from "./provider.ts";
import { builtinProviders } from "./records/builtin.ts";

/** Ids and aliases to profiles. One name means one provider; a second claim to a name is refused. */
export class ProviderRegistry {
  readonly #byName = new Map<string, ProviderProfile>();
  readonly #order: ProviderProfile[] = [];

  constructor(profiles: readonly ProviderProfile[] = builtinProviders) {
    for (const one of profiles) this.#add(one);
  }

  /** Plugins add providers here; disposing takes the provider away again. A record with a mistake is refused whole. */
  register(added: ProviderProfile): Disposable {
    const problems = checkProfile(added);
    if (problems.length > 0) throw new Error(`provider ${JSON.stringify(added.id)}: ${problems.join("; ")}`);
    return this.#add(added);
  }

  /** By id or alias, in any case. */
  find(name: string): ProviderProfile | undefined {
    return this.#byName.get(name.trim().toLowerCase());
  }

  /** The provider that owns the host of an address; one that names the very host before one that names its domain. */
  ownerOf(url: string): ProviderProfile | undefined {
    // Read once: there are some hundred domains to compare it with.
    const parsed = parseUrl(url);
    const host = parsed === undefined ? undefined : hostOf(parsed);
    if (parsed === undefined || host === undefined) return undefined;
    return (
      this.#order.find((one) => one.allowedHosts.includes(host)) ??
      this.#order.find((one) => one.allowedHosts.some((domain) => hostMatches(parsed, domain)))
    );
  }

  all(): readonly ProviderProfile[] {
    return [...this.#order];
  }

  /** What a mistyped name most likely meant. */
  suggest(name: string): string | undefined {
    return nearest(name, this.#byName.keys());
  }

  #add(added: ProviderProfile): Disposable {
    const names = [...new Set([added.id, ...added.aliases].map((name) => name.toLowerCase()))];
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
}
