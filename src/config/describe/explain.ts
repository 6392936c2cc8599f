import { Secret } from "#foundation/secrets/secret";
import { formatKeyPath, parseKeyPath } from "../key-path.ts";
import { describeSource, type Provenance } from "../load/layer.ts";
import type { LoadedConfig } from "../load/load.ts";
import { isPlainRecord, valueAt } from "../tree.ts";

/** Why a setting has the value it has. Credentials are shown as `***`. */
export interface Explanation {
  readonly key: string;
  readonly value: unknown;
  readonly source: Provenance;
  /** Places that set the key too but lost, the strongest first; the default comes last. */
  readonly losing: readonly { readonly source: Provenance; readonly value: unknown }[];
}

export function explain(loaded: LoadedConfig, key: string): Explanation {
  const path = parseKeyPath(key);
  const [winner, ...losing] = loaded.locations(key);
  return {
    key: formatKeyPath(path),
    value: masked(valueAt(loaded.config, path)),
    source: winner?.source ?? { kind: "default" },
    losing: losing.map((location) => ({ source: location.source, value: masked(location.value) })),
  };
}

/** The explanation as lines for people, the effective value first. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const { key, value, source, losing } = explanation;
  return [
    `${key} = ${written(value)}`,
    `  from ${describeSource(source)}`,
    ...losing.map((location) => `  not used: ${written(location.value)} from ${describeSource(location.source)}`),
  ];
}

/** A value fit to be shown: whether there is a credential may be seen, what it is may not. */
export function masked(value: unknown): unknown {
  if (value instanceof Secret) return value.isEmpty ? "" : "***";
  if (Array.isArray(value)) return value.map(masked);
  if (!isPlainRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, masked(child)]));
}

const written = (value: unknown): string => (value === undefined ? "(not set)" : JSON.stringify(value));
