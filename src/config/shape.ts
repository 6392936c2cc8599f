import type { z } from "zod";
import type { KeyPath } from "./key-path.ts";
import type { ReloadScope } from "./sections/setting.ts";

/** The schema as plain data: what may stand where. Unknown keys, typing, completion and reference pages read this. */
export type Shape<F extends Facts = Facts> =
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Shape<F>>; readonly facts: F }
  | { readonly kind: "map"; readonly value: Shape<F>; readonly facts: F }
  | { readonly kind: "list"; readonly item: Shape<F>; readonly facts: F }
  | { readonly kind: "union"; readonly options: readonly Shape<F>[]; readonly facts: F }
  | { readonly kind: "scalar"; readonly type: "text" | "flag" | "number"; readonly facts: F }
  | { readonly kind: "choice"; readonly choices: readonly string[]; readonly facts: F }
  | { readonly kind: "anything"; readonly facts: F };

/** What a load needs to know about a key. */
export interface Facts {
  readonly reload: ReloadScope;
  readonly isSecret: boolean;
  readonly isNullable: boolean;
  readonly isWhole: boolean;
  /** A number outside its bounds is moved to the nearest one instead of being refused. */
  readonly isClamped: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** The same with what is said to people about the key. */
export interface DescribedFacts extends Facts {
  readonly description: string;
  readonly category: string;
  /** Why a value does nothing so far; undefined for a key that some code reads. */
  readonly noEffect: string | undefined;
}

export type DescribedShape = Shape<DescribedFacts>;

const outermost: DescribedFacts = {
  description: "",
  category: "General",
  noEffect: undefined,
  reload: "next-session",
  isSecret: false,
  isNullable: false,
  isWhole: false,
  isClamped: false,
  min: undefined,
  max: undefined,
};

/** Translates a zod schema. Only the node types that the sections use are known; another one is a bug. */
export function shapeOf(schema: z.ZodType, inherited: DescribedFacts = outermost): DescribedShape {
  const facts = factsOf(schema, inherited);
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  const inner = (node: z.core.$ZodType, own: DescribedFacts = facts) => shapeOf(node as z.ZodType, own);
  switch (def.type) {
    case "default":
    case "prefault":
    case "optional":
      return inner(def.innerType);
    case "nullable":
      return inner(def.innerType, { ...facts, isNullable: true });
    case "pipe":
      return inner(def.in);
    case "object":
      return objectShape(def.shape, facts);
    case "record":
      return { kind: "map", value: inner(def.valueType, forChild(facts)), facts };
    case "array":
      return { kind: "list", item: inner(def.element, forChild(facts)), facts };
    case "union":
      return { kind: "union", options: def.options.map((option) => inner(option)), facts };
    case "string":
      return { kind: "scalar", type: "text", facts };
    case "boolean":
      return { kind: "scalar", type: "flag", facts };
    case "number":
      return { kind: "scalar", type: "number", facts };
    case "enum":
      return { kind: "choice", choices: Object.values(def.entries).map(String), facts };
    case "unknown":
      return { kind: "anything", facts };
    default:
      throw new Error(`the configuration schema uses the node type "${def.type}", which shapes do not know`);
  }
}

/** A load looks at few of the many keys, so the fields of a group are translated when somebody asks. */
function objectShape(fields: Readonly<Record<string, z.core.$ZodType>>, facts: DescribedFacts): DescribedShape {
  let known: ReadonlyMap<string, DescribedShape> | undefined;
  return {
    kind: "object",
    facts,
    get fields() {
      known ??= new Map(
        Object.entries(fields).map(([key, field]) => [key, shapeOf(field as z.ZodType, forChild(facts))]),
      );
      return known;
    },
  };
}

/** The shape at a path; undefined where the schema has no such key. */
export function shapeAt<F extends Facts>(shape: Shape<F>, path: KeyPath): Shape<F> | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return shape;
  switch (shape.kind) {
    case "object": {
      const field = shape.fields.get(head);
      return field === undefined ? undefined : shapeAt(field, rest);
    }
    case "map":
      return shapeAt(shape.value, rest);
    case "list":
      return /^\d+$/.test(head) ? shapeAt(shape.item, rest) : undefined;
    case "union":
      for (const option of shape.options) {
        const found = shapeAt(option, path);
        if (found !== undefined) return found;
      }
      return undefined;
    case "anything":
      return shape;
    case "scalar":
    case "choice":
      return undefined;
  }
}

function factsOf(schema: z.ZodType, inherited: DescribedFacts): DescribedFacts {
  const own = schema.meta() ?? {};
  const limits = boundsOf(schema);
  return {
    ...inherited,
    description: typeof own.description === "string" ? own.description : inherited.description,
    category: typeof own["category"] === "string" ? own["category"] : inherited.category,
    noEffect: effectOf(own["noEffect"], inherited.noEffect),
    reload: isReloadScope(own["reload"]) ? own["reload"] : inherited.reload,
    isSecret: own["secret"] === true || inherited.isSecret,
    isClamped: own["clamp"] === true || inherited.isClamped,
    ...limits,
  };
}

function effectOf(own: unknown, inherited: string | undefined): string | undefined {
  if (own === false) return undefined;
  return typeof own === "string" ? own : inherited;
}

function boundsOf(schema: z.ZodType): Partial<Pick<Facts, "isWhole" | "min" | "max">> {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (def.type !== "number") return {};
  const { minValue, maxValue, isInt } = schema as z.ZodNumber;
  return { isWhole: isInt, min: finite(minValue), max: finite(maxValue) };
}

/** Beyond the safe integers a bound is only zod's own, not one a section has set. */
function finite(bound: number | null): number | undefined {
  return bound === null || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

const forChild = ({ category, noEffect, reload, isSecret }: DescribedFacts): DescribedFacts => ({
  ...outermost,
  category,
  noEffect,
  reload,
  isSecret,
});

const isReloadScope = (value: unknown): value is ReloadScope =>
  value === "now" || value === "next-session" || value === "restart";
