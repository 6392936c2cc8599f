import { z } from "zod";
import { sealEach, sealEntries, sealText } from "../seal.ts";

/** When a changed value starts to count: at once, with the next session, or after a restart of the process. */
export type ReloadScope = "now" | "next-session" | "restart";

/** What the schema says about a key besides its type; reference pages, completion and JSON Schema read it. */
interface SettingFacts {
  readonly description: string;
  /** Heading in reference pages and `config show`; inherited from the enclosing section. */
  readonly category?: string;
  /** Inherited from the enclosing section; `next-session` where nothing is said. */
  readonly reload?: ReloadScope;
  readonly secret?: true;
  /** A number outside its bounds is moved to the nearest one instead of being refused. */
  readonly clamp?: true;
  /** Why a value does nothing so far, as a sentence. Inherited from the enclosing section; false says that this key does. */
  readonly noEffect?: string | false;
}

/** Parts of Hermes that settings exist for before they do; {@link SettingFacts.noEffect} of their keys. */
export const missing = {
  gateway: "The messaging gateway does not exist yet.",
  cron: "Scheduled jobs do not exist yet.",
  voice: "Speaking with Hermes does not exist yet.",
  terminals: "Commands run on this machine only; other kinds of terminal do not exist yet.",
  batch: "Batch runs do not exist yet.",
  dashboard: "The dashboard does not exist yet.",
  telemetry: "Traces and counters do not exist yet.",
  training: "Training runs do not exist yet.",
} as const;

export type About = string | SettingFacts;

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

// Building the schema is most of the time a load takes, so the plain types are made once and shared, and
// facts are registered on a node instead of on a copy of it, which is what `.meta()` would make.
const string = z.string();
const boolean = z.boolean();
const strings = z.array(string);
const natural = z.int().min(0);
const positive = z.int().min(1);
const quantity = z.number().min(0);
const secretString = string.transform(sealText);

/** Notes the facts about a node and gives it back. The node must be this key's own. */
function described<T extends z.ZodType>(schema: T, about: About, more: Partial<SettingFacts> = {}): T {
  z.globalRegistry.add(schema, { ...(typeof about === "string" ? { description: about } : about), ...more });
  return schema;
}

export function flag(initial: boolean, about: About) {
  return described(boolean.default(initial), about);
}

export function text(initial: string, about: About) {
  return described(string.default(initial), about);
}

export function optionalText(about: About) {
  return described(string.optional(), about);
}

export function optionalFlag(about: About) {
  return described(boolean.optional(), about);
}

/** A whole number, zero or more unless the bounds say otherwise. */
export function whole(initial: number, about: About, bounds: Bounds = {}) {
  return described(integer(bounds).default(initial), about);
}

export function optionalWhole(about: About, bounds: Bounds = {}) {
  return described(integer(bounds).optional(), about);
}

/** Any finite number, zero or more unless the bounds say otherwise. */
export function amount(initial: number, about: About, bounds: Bounds = {}) {
  return described(decimal(bounds).default(initial), about);
}

export function optionalAmount(about: About, bounds: Bounds = {}) {
  return described(decimal(bounds).optional(), about);
}

export function choice<const T extends readonly [string, ...string[]]>(values: T, initial: T[number], about: About) {
  // zod types the default of an enum as its own literal union; the parameter type already guarantees membership.
  return described(z.enum(values).default(initial as z.output<z.ZodEnum<{ [K in T[number]]: K }>>), about);
}

export function optionalChoice<const T extends readonly [string, ...string[]]>(values: T, about: About) {
  return described(z.enum(values).optional(), about);
}

export function texts(initial: readonly string[], about: About) {
  return described(strings.default([...initial]), about);
}

export function mapOf<T extends z.ZodType>(value: T, about: About) {
  return described(z.record(string, value).default({}), about);
}

export function listOf<T extends z.ZodType>(item: T, about: About) {
  return described(z.array(item).default([]), about);
}

/** Anything at all, by name. Strings whose name is that of a credential leave the parser as a `Secret`. */
export function freeMap(about: About) {
  return described(z.record(string, z.unknown()).default({}).transform(sealEntries), about);
}

/** A list of such maps. */
export function freeMaps(about: About) {
  const maps = z.array(z.record(string, z.unknown()));
  return described(maps.default([]).transform(sealEach), about);
}

/** A string that leaves the parser as a `Secret`; empty when unset. */
export function secret(about: About) {
  return described(string.default("").transform(sealText), about, { secret: true });
}

/** Named strings that may hold credentials (environment of a child program, request headers). */
export function secretMap(about: About) {
  return described(z.record(string, secretString).default({}), about, { secret: true });
}

/** A group of keys. Absent from a file it is filled with the defaults of its keys. */
export function section<const S extends z.core.$ZodLooseShape>(about: About, shape: S) {
  // Every key of a section has a default or is optional, so the empty object is a valid input of it.
  return described(z.object(shape).prefault({} as z.input<z.ZodObject<S>>), about);
}

function integer({ min = 0, max }: Bounds) {
  if (max === undefined && min === 0) return natural;
  if (max === undefined && min === 1) return positive;
  const schema = z.int().min(min);
  return max === undefined ? schema : schema.max(max);
}

function decimal({ min = 0, max }: Bounds) {
  if (max === undefined && min === 0) return quantity;
  const schema = z.number().min(min);
  return max === undefined ? schema : schema.max(max);
}
