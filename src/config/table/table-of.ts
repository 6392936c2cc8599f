import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { sealByName, sealEach, sealEntries, sealText } from "../seal.ts";
import type { Facts, Shape } from "../shape.ts";
import type { NodeFacts, NodeRef, SealName, Table, TableNode } from "./node.ts";

type Def = z.core.$ZodTypes["_zod"]["def"];

type Inherited = Pick<Facts, "reload" | "isSecret">;

/**
 * The table of a schema, for the generator. Facts come from the shape, which walks the same schema; how a value
 * is checked comes from the nodes. Whatever the table could not repeat exactly is an error here, never a guess.
 */
export function tableOf(schema: z.core.$ZodType, shape: Shape): Table {
  const writer = new TableWriter();
  writer.add(schema, shape, { reload: "next-session", isSecret: false });
  return [...writer.nodes];
}

class TableWriter {
  readonly nodes: TableNode[] = [];
  readonly #known = new Map<string, NodeRef>();

  add(schema: z.core.$ZodType, shape: Shape, inherited: Inherited): NodeRef {
    const { def, absent, seal } = unwrapped(schema);
    const { facts } = shape;
    if (seal !== undefined && facts.isNullable) throw unsupported("a sealed value that may be null");
    const own: NodeFacts = {
      ...absent,
      ...(seal === undefined ? {} : { seal }),
      ...(facts.isNullable ? { nullable: true } : {}),
      ...(facts.isSecret && !inherited.isSecret ? { secret: true } : {}),
      ...(facts.isClamped ? { clamp: true } : {}),
      ...(facts.reload === inherited.reload ? {} : { reload: facts.reload }),
    };
    return this.#place({ ...this.#kind(def, shape), ...own });
  }

  /** A node like an earlier one is that one. */
  #place(node: TableNode): NodeRef {
    const text = JSON.stringify(node);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.nodes.push(node);
    this.#known.set(text, this.nodes.length - 1);
    return this.nodes.length - 1;
  }

  #kind(def: Def, shape: Shape): TableNode {
    if (def.type !== "number" && (def.checks ?? []).length > 0) throw unsupported(`a check on "${def.type}"`);
    switch (shape.kind) {
      case "object":
        return { kind: "object", fields: this.#fields(def, shape) };
      case "map":
        if (def.type !== "record" || !isAnyText(def.keyType)) throw unsupported("a map with special keys");
        return { kind: "map", value: this.add(def.valueType, shape.value, shape.facts) };
      case "list":
        if (def.type !== "array") throw mismatch(def, shape);
        return { kind: "list", item: this.add(def.element, shape.item, shape.facts) };
      case "union":
        return { kind: "union", options: this.#options(def, shape) };
      case "choice":
        return { kind: "choice", choices: shape.choices };
      case "scalar":
        return scalarNode(def, shape);
      case "anything":
        return { kind: "anything" };
    }
  }

  #fields(def: Def, shape: Shape & { readonly kind: "object" }): Record<string, NodeRef> {
    if (def.type !== "object" || def.catchall !== undefined) throw unsupported("a group that is not a plain one");
    const fields: Record<string, NodeRef> = {};
    for (const [key, field] of shape.fields) {
      const schema = def.shape[key];
      if (schema === undefined) throw mismatch(def, shape);
      if (field.kind === "anything") throw unsupported(`any value for the key ${key}`);
      fields[key] = this.add(schema, field, shape.facts);
    }
    return fields;
  }

  #options(def: Def, shape: Shape & { readonly kind: "union" }): readonly NodeRef[] {
    if (def.type !== "union") throw mismatch(def, shape);
    return shape.options.map((option, index) => {
      const schema = def.options[index];
      if (schema === undefined) throw mismatch(def, shape);
      return this.add(schema, option, shape.facts);
    });
  }
}

interface Unwrapped {
  readonly def: Def;
  readonly absent: Pick<NodeFacts, "absent" | "default">;
  readonly seal: SealName | undefined;
}

/** Looks through defaults, optional and sealed values at the type inside. */
function unwrapped(schema: z.core.$ZodType): Unwrapped {
  let absent: Unwrapped["absent"] | undefined;
  let seal: SealName | undefined;
  let def = defOf(schema);
  const without = (what: Unwrapped["absent"], inner: z.core.$ZodType) => {
    if (absent !== undefined) throw unsupported("two answers for a missing value");
    // A seal around an optional value would be handed `undefined`.
    if (seal !== undefined && !("default" in what)) throw unsupported("a seal around an optional value");
    absent = what;
    def = defOf(inner);
  };
  for (;;) {
    switch (def.type) {
      case "default":
        without({ default: sameInJson(def.defaultValue) }, def.innerType);
        break;
      case "prefault":
        if (!isDeepStrictEqual(def.defaultValue, {})) throw unsupported("a group that starts with values");
        without({ absent: "empty" }, def.innerType);
        break;
      case "optional":
        without({ absent: "left-out" }, def.innerType);
        break;
      case "nullable":
        def = defOf(def.innerType);
        break;
      case "pipe":
        // Inside a default the seal would not see the default.
        if (absent !== undefined && "default" in absent) throw unsupported("a default around a sealed value");
        if (seal !== undefined) throw unsupported("a value that is sealed twice");
        seal = sealNameOf(defOf(def.out));
        def = defOf(def.in);
        break;
      default:
        return { def, absent: absent ?? {}, seal };
    }
  }
}

function scalarNode(def: Def, shape: Shape & { readonly kind: "scalar" }): TableNode {
  if (shape.type !== "number") {
    if ("format" in def || "coerce" in def) throw unsupported(`a special kind of ${shape.type}`);
    return { kind: shape.type };
  }
  if (def.type !== "number" || !checksOf(def).every(isKnownCheck)) throw unsupported("a number with a special check");
  const { isWhole, min, max } = shape.facts;
  return {
    kind: "number",
    ...(isWhole ? { whole: true } : {}),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

function checksOf(def: z.core.$ZodNumberDef): readonly z.core.$ZodCheckDef[] {
  // A number format is a check itself, besides those it has.
  const own = "check" in def ? [def as unknown as z.core.$ZodCheckDef] : [];
  return [...own, ...(def.checks ?? []).map((check) => check._zod.def)];
}

/** Bounds that belong to the range, and whole numbers that are exact. */
function isKnownCheck(check: z.core.$ZodCheckDef): boolean {
  const { format, inclusive, value } = check as { format?: unknown; inclusive?: unknown; value?: unknown };
  if (check.check === "number_format") return format === "safeint";
  const isBound = check.check === "greater_than" || check.check === "less_than";
  return isBound && inclusive === true && Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER;
}

const seals: ReadonlyMap<unknown, SealName> = new Map<unknown, SealName>([
  [sealText, "text"],
  [sealEntries, "entries"],
  [sealEach, "each"],
  [sealByName, "names"],
]);

function sealNameOf(def: Def): SealName {
  const name = def.type === "transform" ? seals.get(def.transform) : undefined;
  if (name === undefined) throw unsupported("a change of values other than sealing them");
  return name;
}

function sameInJson(value: unknown): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(value) ?? "null");
  if (!isDeepStrictEqual(copy, value)) throw unsupported("a default that JSON cannot hold");
  return copy;
}

function isAnyText(schema: z.core.$ZodType): boolean {
  const def = defOf(schema);
  return def.type === "string" && (def.checks ?? []).length === 0 && !("format" in def);
}

const defOf = (schema: z.core.$ZodType): Def => (schema as z.core.$ZodTypes)._zod.def;

const unsupported = (what: string) => new Error(`the configuration schema has ${what}, which its table cannot hold`);

const mismatch = (def: Def, shape: Shape) => new Error(`the shape says ${shape.kind} where the schema has ${def.type}`);
