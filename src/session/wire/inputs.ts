import { isRecord } from "#foundation/text/json";
import { wireVersion } from "./events.ts";
import { list, object, oneOf, optional, orNull, type ReadFields, text, WireError, whole } from "./shape.ts";

const mostCharacters = 1_000_000;
const mostImages = 20;
const mostImageCharacters = 30_000_000;

const words = text({ max: mostCharacters });
const id = text({ min: 1, max: 200 });
/** Data or an address: a path would be one of the machine Hermes runs on. */
const image = {
  ...text({ max: mostImageCharacters }),
  read(value: unknown, where: string): string {
    const read = text({ max: mostImageCharacters }).read(value, where);
    if (!/^(data:image\/|https?:\/\/)/i.test(read))
      throw new WireError(where, "must begin with data:image/ or https://");
    return read;
  },
};

/** The fields of every input. */
const inputFields = {
  submit: { text: words, images: optional(list(image, { max: mostImages })), key: optional(id) },
  continue: {},
  steer: { text: words },
  queue: { text: words },
  unqueue: { index: whole({ max: 100_000 }) },
  interrupt: { text: optional(words) },
  approve: { id, choice: oneOf("once", "folder", "session", "always", "deny"), reason: optional(words) },
  answer: { id, text: orNull(words) },
  complete: { line: text({ max: 10_000 }) },
} as const;

/** What a surface sends for a person, as it arrives from outside. The reply carries its `ref`. */
export type WireInput = {
  [T in keyof typeof inputFields]: { readonly type: T; readonly ref?: string | undefined } & ReadFields<
    (typeof inputFields)[T]
  >;
}[keyof typeof inputFields];

const version = {
  schema: { const: wireVersion },
  write: (value: unknown): unknown => value,
  read(value: unknown, where: string): typeof wireVersion {
    if (value !== wireVersion) throw new WireError(where, `must be ${wireVersion}, the version this program speaks`);
    return wireVersion;
  },
};

export const inputShapes = Object.fromEntries(
  Object.entries(inputFields).map(([type, fields]) => [
    type,
    object({ v: version, type: oneOf(type), ref: optional(id), ...fields }),
  ]),
);

/** Reads an input from parsed JSON; throws a {@link WireError} for anything else. */
export function readInput(value: unknown): WireInput {
  if (!isRecord(value)) throw new WireError("", "must be an object");
  const type = Object.hasOwn(value, "type") ? value["type"] : undefined;
  const shape = typeof type === "string" && Object.hasOwn(inputShapes, type) ? inputShapes[type] : undefined;
  if (shape === undefined) throw new WireError("type", `must be one of ${Object.keys(inputShapes).join(", ")}`);
  const { v: _version, ...input } = shape.read(value, "") as Readonly<Record<string, unknown>>;
  return input as unknown as WireInput;
}
