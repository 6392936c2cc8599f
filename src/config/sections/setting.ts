import { z } from "zod";
import { Secret } from "#foundation/secret";

/** When a changed value starts to count: at once, with the next session, or after a restart of the process. */
export type ReloadScope = "now" | "next-session" | "restart";

/** What the schema says about a key besides its type; reference pages, completion and JSON Schema read it. */
export interface SettingFacts {
  readonly description: string;
  /** Heading in reference pages and `config show`; inherited from the enclosing section. */
  readonly category?: string;
  /** Inherited from the enclosing section; `next-session` where nothing is said. */
  readonly reload?: ReloadScope;
  readonly secret?: true;
  /** A number outside its bounds is moved to the nearest one instead of being refused. */
  readonly clamp?: true;
}

export type About = string | SettingFacts;

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** A plain copy: zod's registry wants an open record, which an interface is not. */
const facts = (about: About): Record<string, unknown> =>
  typeof about === "string" ? { description: about } : { ...about };

export function flag(initial: boolean, about: About) {
  return z.boolean().default(initial).meta(facts(about));
}

export function text(initial: string, about: About) {
  return z.string().default(initial).meta(facts(about));
}

export function optionalText(about: About) {
  return z.string().optional().meta(facts(about));
}

export function optionalFlag(about: About) {
  return z.boolean().optional().meta(facts(about));
}

/** A whole number, zero or more unless the bounds say otherwise. */
export function whole(initial: number, about: About, bounds: Bounds = {}) {
  return integer(bounds).default(initial).meta(facts(about));
}

export function optionalWhole(about: About, bounds: Bounds = {}) {
  return integer(bounds).optional().meta(facts(about));
}

/** Any finite number, zero or more unless the bounds say otherwise. */
export function amount(initial: number, about: About, bounds: Bounds = {}) {
  return decimal(bounds).default(initial).meta(facts(about));
}

export function optionalAmount(about: About, bounds: Bounds = {}) {
  return decimal(bounds).optional().meta(facts(about));
}

export function choice<const T extends readonly [string, ...string[]]>(values: T, initial: T[number], about: About) {
  // zod types the default of an enum as its own literal union; the parameter type already guarantees membership.
  return z
    .enum(values)
    .default(initial as z.output<z.ZodEnum<{ [K in T[number]]: K }>>)
    .meta(facts(about));
}

export function texts(initial: readonly string[], about: About) {
  return z
    .array(z.string())
    .default([...initial])
    .meta(facts(about));
}

export function mapOf<T extends z.ZodType>(value: T, about: About) {
  return z.record(z.string(), value).default({}).meta(facts(about));
}

/** A string that leaves the parser as a {@link Secret}; empty when unset. */
export function secret(about: About) {
  return z
    .string()
    .default("")
    .transform((value) => new Secret(value))
    .meta({ ...facts(about), secret: true });
}

/** Named strings that may hold credentials (environment of a child program, request headers). */
export function secretMap(about: About) {
  const value = z
    .string()
    .transform((text) => new Secret(text))
    .meta({ description: "value", secret: true });
  return z.record(z.string(), value).default({}).meta(facts(about));
}

/** A group of keys. Absent from a file it is filled with the defaults of its keys. */
export function section<const S extends z.core.$ZodLooseShape>(about: About, shape: S) {
  // Every key of a section has a default or is optional, so the empty object is a valid input of it.
  return z
    .object(shape)
    .prefault({} as z.input<z.ZodObject<S>>)
    .meta(facts(about));
}

function integer(bounds: Bounds) {
  const schema = z
    .number()
    .int()
    .min(bounds.min ?? 0);
  return bounds.max === undefined ? schema : schema.max(bounds.max);
}

function decimal(bounds: Bounds) {
  const schema = z.number().min(bounds.min ?? 0);
  return bounds.max === undefined ? schema : schema.max(bounds.max);
}
