import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";

/** Bytes from outside that are no input; the message says where and why, for whoever wrote the program that sent them. */
export class WireError extends UserError {
  override readonly name: string = "WireError";

  constructor(where: string, why: string) {
    super(`${where === "" ? "The input" : where} ${why}.`, { code: "bad_input" });
  }
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One kind of value of the wire form: how it is described, how it is read from outside and how it is written. What a
 * shape does not name is neither written nor taken in.
 */
export interface Shape<T = unknown> {
  readonly schema: JsonSchema;
  readonly isOptional?: boolean;
  read(value: unknown, where: string): T;
  write(value: unknown): unknown;
}

type Fields = Readonly<Record<string, Shape>>;
type OptionalName<F extends Fields> = { [K in keyof F]: undefined extends Read<F[K]> ? K : never }[keyof F];

/** What is read by a shape. */
export type Read<S> = S extends Shape<infer T> ? T : never;
export type ReadFields<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalName<F>> as Camel<K>]: Read<F[K]>;
} & {
  readonly [K in OptionalName<F> as Camel<K>]?: Read<F[K]>;
};
type Camel<K> = K extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : K;

const same = (value: unknown): unknown => value;

export function text({
  max = 1_000_000,
  min = 0,
}: {
  readonly max?: number;
  readonly min?: number;
} = {}): Shape<string> {
  return {
    schema: { type: "string" },
    write: same,
    read(value, where) {
      if (typeof value !== "string") throw new WireError(where, "must be a text");
      if (value.length < min) throw new WireError(where, "must not be empty");
      if (value.length > max) throw new WireError(where, `is longer than ${max} characters`);
      return value;
    },
  };
}

export function whole({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Shape<number> {
  return {
    schema: { type: "integer", minimum: min },
    write: same,
    read(value, where) {
      if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max)
        throw new WireError(where, `must be a whole number of at least ${min}`);
      return value;
    },
  };
}

/** Figures with a fraction. */
export const figure: Shape<number> = {
  schema: { type: "number" },
  write: same,
  read(value, where) {
    if (typeof value !== "number" || !Number.isFinite(value)) throw new WireError(where, "must be a number");
    return value;
  },
};

export const flag: Shape<boolean> = {
  schema: { type: "boolean" },
  write: same,
  read(value, where) {
    if (typeof value !== "boolean") throw new WireError(where, "must be true or false");
    return value;
  },
};

/** Any JSON value: what a model wrote as arguments, for example. */
export const anything: Shape<unknown> = { schema: {}, write: same, read: same };

export function oneOf<const T extends string>(...choices: readonly T[]): Shape<T> {
  return {
    schema: choices.length === 1 ? { const: choices[0] } : { enum: choices },
    write: same,
    read(value, where) {
      const found = choices.find((one) => one === value);
      if (found === undefined) throw new WireError(where, `must be ${choices.map((one) => `"${one}"`).join(" or ")}`);
      return found;
    },
  };
}

export function list<T>(item: Shape<T>, { max = 1_000 }: { readonly max?: number } = {}): Shape<readonly T[]> {
  return {
    schema: { type: "array", items: item.schema },
    write: (value) => (Array.isArray(value) ? value.map((one) => item.write(one)) : []),
    read(value, where) {
      if (!Array.isArray(value)) throw new WireError(where, "must be a list");
      if (value.length > max) throw new WireError(where, `has more than ${max} entries`);
      return value.map((one, index) => item.read(one, `${where}[${index}]`));
    },
  };
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return {
    schema: shape.schema,
    isOptional: true,
    write: (value) => (value === undefined ? undefined : shape.write(value)),
    read: (value, where) => (value === undefined ? undefined : shape.read(value, where)),
  };
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return {
    schema: { anyOf: [shape.schema, { type: "null" }] },
    write: (value) => (value === undefined || value === null ? null : shape.write(value)),
    read: (value, where) => (value === null ? null : shape.read(value, where)),
  };
}

/** Fields in `snake_case`; in the program they are written in `camelCase` or as they are. */
export function object<const F extends Fields>(fields: F): Shape<ReadFields<F>> & { readonly fields: F } {
  const entries = Object.entries(fields);
  const required = entries.filter(([, shape]) => shape.isOptional !== true).map(([name]) => name);
  return {
    fields,
    schema: {
      type: "object",
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      ...(required.length === 0 ? {} : { required }),
    },
    write(value) {
      const source = isRecord(value) ? value : {};
      const written = entries.map(([name, shape]) => [name, shape.write(source[camel(name)] ?? source[name])] as const);
      return Object.fromEntries(written.filter(([, one]) => one !== undefined));
    },
    read(value, where) {
      if (!isRecord(value)) throw new WireError(where, "must be an object");
      const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
      if (unknown !== undefined)
        throw new WireError(where, `has an unknown field ${JSON.stringify(unknown.slice(0, 60))}`);
      const inside = (name: string): string => (where === "" ? name : `${where}.${name}`);
      const own = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
      return Object.fromEntries(
        entries.map(([name, shape]) => [camel(name), shape.read(own(name), inside(name))]),
      ) as ReadFields<F>;
    },
  };
}

/** Objects told apart by one field. */
export function union(by: string, members: Readonly<Record<string, Fields>>): Shape {
  const shapes = new Map(
    Object.entries(members).map(([kind, fields]) => [kind, object({ [by]: oneOf(kind), ...fields })]),
  );
  return {
    schema: { oneOf: [...shapes.values()].map(({ schema }) => schema) },
    read(value, where) {
      const shape = isRecord(value) ? shapes.get(String(value[by])) : undefined;
      if (shape === undefined) throw new WireError(where, `must be of a known ${by}`);
      return shape.read(value, where);
    },
    write: (value) => (isRecord(value) ? shapes.get(String(value[by]))?.write(value) : undefined),
  };
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
