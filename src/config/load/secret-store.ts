import { Secret } from "#foundation/secrets/secret";
import { isSecretVariable } from "./environment/table.ts";
import type { Environment, VariableOrigin } from "./variables.ts";

interface NamedSecret {
  readonly name: string;
  readonly secret: Secret;
}

/** Credentials by name, handed out as {@link Secret}. */
export class SecretStore {
  readonly #environment: Environment;
  #all: readonly NamedSecret[] | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The credential, or undefined when it is not set or empty. */
  get(name: string): Secret | undefined {
    const value = this.#environment.variables[name];
    return value === undefined || value.trim() === "" ? undefined : new Secret(value.trim());
  }

  /** The first that is set, with the name it was found under. */
  first(names: readonly string[]): { readonly name: string; readonly secret: Secret } | undefined {
    for (const name of names) {
      const secret = this.get(name);
      if (secret !== undefined) return { name, secret };
    }
    return undefined;
  }

  originOf(name: string): VariableOrigin | undefined {
    return this.#environment.originOf(name);
  }

  /** Every credential that is set, for the redactor. */
  all(): readonly NamedSecret[] {
    this.#all ??= Object.keys(this.#environment.variables).flatMap((name) => {
      const secret = isSecretVariable(name) ? this.get(name) : undefined;
      return secret === undefined ? [] : [{ name, secret }];
    });
    return this.#all;
  }
}
