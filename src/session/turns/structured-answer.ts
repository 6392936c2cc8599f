import { addCost, addUsage, type JsonSchema, type TurnResult } from "#conversation";
import { UserError } from "#foundation/errors";
import { parseJson } from "#foundation/text/json";

/** A turn whose answer has to be JSON of a certain shape. */
export interface StructuredResult extends TurnResult {
  /** The answer, read and checked; absent when it did not fit. */
  readonly output?: unknown;
}

/** Asks for an answer that fits a schema. An answer that does not is sent back once, with what is wrong with it. */
export async function askForJson(
  ask: (text: string) => Promise<TurnResult>,
  question: string,
  schema: JsonSchema,
): Promise<StructuredResult> {
  const check = await checkerFor(schema);
  const first = await ask(`${question}\n\n${wanted(schema)}`);
  if (!first.completed || first.failed) return first;
  const read = check(first.text ?? "");
  if (read.kind === "fits") return { ...first, text: read.text, output: read.value };
  const again = await ask(`That answer does not fit: ${read.problem}\n\n${wanted(schema)}`);
  const both = {
    ...again,
    apiCalls: first.apiCalls + again.apiCalls,
    usage: addUsage(first.usage, again.usage),
    cost: first.cost === undefined || again.cost === undefined ? again.cost : addCost(first.cost, again.cost),
  };
  if (!again.completed || again.failed) return both;
  const second = check(again.text ?? "");
  if (second.kind === "fits") return { ...both, text: second.text, output: second.value };
  return {
    ...both,
    failed: true,
    error: `The answer does not fit the schema: ${second.problem}`,
    errorClass: "output_schema",
  };
}

type Checked =
  | { readonly kind: "fits"; readonly value: unknown; readonly text: string }
  | { readonly kind: "wrong"; readonly problem: string };

async function checkerFor(schema: JsonSchema): Promise<(text: string) => Checked> {
  const { fromJSONSchema, prettifyError } = await import("zod");
  let type: ReturnType<typeof fromJSONSchema>;
  try {
    type = fromJSONSchema(schema as Parameters<typeof fromJSONSchema>[0]);
  } catch (cause) {
    throw new UserError("The output schema cannot be used.", {
      hint: cause instanceof Error ? cause.message : String(cause),
      code: "output_schema",
      cause,
    });
  }
  return (text) => {
    // Models like to put JSON in a fence, whatever they are told.
    const plain = /^\s*```(?:json)?\s*\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text.trim();
    const parsed = parseJson(plain);
    if (!parsed.ok) return { kind: "wrong", problem: "it is not JSON." };
    const checked = type.safeParse(parsed.value);
    if (checked.success) return { kind: "fits", value: parsed.value, text: plain };
    return { kind: "wrong", problem: prettifyError(checked.error) };
  };
}

function wanted(schema: JsonSchema): string {
  return `[Answer with JSON only, nothing before or after it, that fits this JSON Schema:\n${JSON.stringify(schema)}]`;
}
