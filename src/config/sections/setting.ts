import type { Secret } from "#foundation/secrets/secret";

/** When a changed value starts to count: at once, with the next session, or after a restart of the process. */
export type ReloadScope = "now" | "next-session" | "restart";

/** What is said about a key besides its type; reference pages, completion and JSON Schema read it. */
export interface Facts {
  readonly description: string;
  /** Heading in reference pages and `config show`; inherited from the enclosing section. */
  readonly category?: string;
  /** Inherited from the enclosing section; `next-session` where nothing is said. */
  readonly reload?: ReloadScope;
  /** Why a value does nothing so far, as a sentence. Inherited from the enclosing section; false says that this key does. */
  readonly noEffect?: string | false;
}

/** What may stand at a key, as plain data. The interpreter checks, coerces, completes and describes values by it. */
export type Node = {
  readonly about?: About;
  /** The value while nobody sets one. A group without it is filled key by key; any other key without it is required. */
  readonly initial?: unknown;
  /** While nobody sets it, the key is left out. */
  readonly optional?: true;
  readonly nullable?: true;
} & (
  | { readonly kind: "group"; readonly fields: Readonly<Record<string, Node>> }
  | { readonly kind: "map"; readonly value: Node }
  | { readonly kind: "list"; readonly item: Node }
  | { readonly kind: "either"; readonly options: readonly Node[] }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | ({ readonly kind: "number" } & Bounds)
  | { readonly kind: "text"; readonly secret?: true }
  | { readonly kind: "flag" }
  | { readonly kind: "anything" }
);

interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly whole?: true;
  /** A number outside its bounds is moved to the nearest one instead of being refused. */
  readonly clamp?: true;
}

/** A node with the type that its values have in `Config`; `valueType` is never there, only its type is. */
export type Setting<T> = Node & { readonly valueType?: () => T };

type OptionalSetting<T> = Setting<T> & { readonly optional: true };

export type ValueOf<S> = S extends { readonly valueType?: () => infer T } ? T : never;

type Fields = Readonly<Record<string, Node>>;

/** The type of a group: what is optional may be absent, everything else is there. */
export type GroupOf<F> = Flat<
  { readonly [K in keyof F as F[K] extends { readonly optional: true } ? never : K]: ValueOf<F[K]> } & {
    readonly [K in keyof F as F[K] extends { readonly optional: true } ? K : never]?: ValueOf<F[K]> | undefined;
  }
>;

type Flat<T> = { readonly [K in keyof T]: T[K] };

/** Parts of Hermes that settings exist for before they do; {@link Facts.noEffect} of their keys. */
export const missing = {
  platform: "This platform is not supported yet.",
  voice: "Voice chat is not implemented yet.",
} as const;

/** The description alone, or all facts. */
export type About = string | Facts;

// Values without a name of their own: entries of maps and lists, and cases of a choice between types.

export const anyText: Setting<string> = { kind: "text" };
export const anyFlag: Setting<boolean> = { kind: "flag" };
export const anyNumber = (bounds?: Bounds): Setting<number> => ({ kind: "number", min: 0, ...bounds });
export const anyOf = <const T extends readonly string[]>(choices: T): Setting<T[number]> => ({
  kind: "choice",
  choices,
});
export const anyList = <T>(item: Setting<T>): Setting<readonly T[]> => ({ kind: "list", item });
export const anyMap = <T>(value: Setting<T>): Setting<Readonly<Record<string, T>>> => ({ kind: "map", value });
export const either = <A, B, C = never>(...options: [Setting<A>, Setting<B>, Setting<C>?]): Setting<A | B | C> => ({
  kind: "either",
  options: options.filter((option) => option !== undefined),
});

export const nullable = <T>(setting: Setting<T>): Setting<T | null> => ({ ...setting, nullable: true });

/** Keys that belong together, as an entry of a map or a list. */
export function group<const F extends Fields>(
  fields: F,
): Setting<GroupOf<F>> & { readonly kind: "group"; readonly fields: Fields } {
  return { kind: "group", fields };
}

// Keys: a type, what is said about it, and its value while nobody sets one. Every start makes all of them, so the usual kinds
// are written out as one object each.

/** A key with a value while nobody sets one. */
export function initially<T>(initial: NoInfer<T>, setting: Setting<T>, about: About): Setting<T> {
  return { ...setting, initial, about };
}

/** A key that is left out while nobody sets it. */
export function optional<T>(setting: Setting<T>, about: About): OptionalSetting<T> {
  return { ...setting, optional: true, about };
}

/** A key that an entry cannot do without. */
export function required<T>(setting: Setting<T>, about: About): Setting<T> {
  return { ...setting, about };
}

/** A group of keys. Absent from a file it is filled with the values of its keys. */
export function section<const F extends Fields>(about: About, fields: F): Setting<GroupOf<F>> {
  return { kind: "group", fields, about };
}

export const flag = (initial: boolean, about: About): Setting<boolean> => ({ kind: "flag", initial, about });

export const text = (initial: string, about: About): Setting<string> => ({ kind: "text", initial, about });

export const texts = (initial: readonly string[], about: About): Setting<readonly string[]> => ({
  kind: "list",
  item: anyText,
  initial,
  about,
});

/** A whole number, zero or more unless the bounds say otherwise. */
export const whole = (initial: number, about: About, bounds?: Bounds): Setting<number> => ({
  kind: "number",
  whole: true,
  min: 0,
  ...bounds,
  initial,
  about,
});

/** Any finite number, zero or more unless the bounds say otherwise. */
export const amount = (initial: number, about: About, bounds?: Bounds): Setting<number> => ({
  kind: "number",
  min: 0,
  ...bounds,
  initial,
  about,
});

export const choice = <const T extends readonly string[]>(
  choices: T,
  initial: NoInfer<T[number]>,
  about: About,
): Setting<T[number]> => ({ kind: "choice", choices, initial, about });

export const mapOf = <T>(value: Setting<T>, about: About): Setting<Readonly<Record<string, T>>> => ({
  kind: "map",
  value,
  initial: {},
  about,
});

export const listOf = <T>(item: Setting<T>, about: About): Setting<readonly T[]> => ({
  kind: "list",
  item,
  initial: [],
  about,
});

export const optionalText = (about: About) => optional(anyText, about);
export const optionalFlag = (about: About) => optional(anyFlag, about);
export const optionalWhole = (about: About, bounds?: Bounds) => optional(anyNumber({ whole: true, ...bounds }), about);
export const optionalAmount = (about: About) => optional(anyNumber(), about);
export const optionalChoice = <const T extends readonly string[]>(choices: T, about: About) =>
  optional<T[number]>(anyOf(choices), about);

/** Anything at all, by name. Strings whose name is that of a credential become a `Secret`. */
const anything: Setting<unknown> = { kind: "anything" };
export const freeMap = (about: About) => mapOf(anything, about);
export const freeMaps = (about: About) => listOf(anyMap(anything), about);

/** A string that becomes a `Secret`; empty when unset. */
const anySecret: Setting<Secret> = { kind: "text", secret: true };
export const secret = (about: About): Setting<Secret> => ({ kind: "text", secret: true, initial: "", about });

/** Named strings that may hold credentials (environment of a child program, request headers). */
export const secretMap = (about: About) => mapOf(anySecret, about);
