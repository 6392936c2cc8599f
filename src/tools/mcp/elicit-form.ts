import { isRecord } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";
import type { PersonAnswer } from "../contract/session-scope.ts";

type Value = string | number | boolean;
type Ask = (text: string, choices: readonly string[]) => Promise<PersonAnswer>;

/** What a server wants to know from the person. */
export interface ElicitQuestion {
  readonly server: string;
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ElicitAnswer =
  | { readonly kind: "accept"; readonly content: Readonly<Record<string, string | number | boolean>> }
  | { readonly kind: "decline" };

interface Field {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly kind: "text" | "number" | "integer" | "yes-no" | "choice" | "unknown";
  /** What is shown, and what it stands for. */
  readonly choices: ReadonlyMap<string, string>;
  readonly minimum?: number;
  readonly maximum?: number;
}

const mostFields = 10;
const mostTries = 3;
const shownCharacters = 1_000;
const skip = "Skip this";

/** Asks the person for each field of a server's form, one after the other. A refusal of one refuses the form. */
export async function fillForm(question: ElicitQuestion, ask: Ask): Promise<ElicitAnswer> {
  const fields = fieldsOf(question.schema);
  const isAskable = fields.length <= mostFields && fields.every((one) => one.kind !== "unknown" || !one.isRequired);
  if (!isAskable) return { kind: "decline" };
  const intro = `The MCP server ${question.server} asks: ${truncateEnd(question.message, shownCharacters)}`;
  if (fields.length === 0) {
    const answer = await ask(intro, ["Yes", "No"]);
    return answer.kind === "answer" && answer.text === "Yes" ? { kind: "accept", content: {} } : { kind: "decline" };
  }
  const content: Record<string, Value> = {};
  for (const field of fields) {
    if (field.kind === "unknown") continue;
    const answer = await askField(field, { intro, ask });
    if (answer.kind === "decline") return answer;
    if (answer.kind === "value") content[field.name] = answer.value;
  }
  return { kind: "accept", content };
}

type FieldAnswer =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "skipped" }
  | { readonly kind: "decline" };

async function askField(field: Field, input: { readonly intro: string; readonly ask: Ask }): Promise<FieldAnswer> {
  const choices = [...field.choices.keys(), ...(field.isRequired ? [] : [skip])];
  let complaint = "";
  for (let tries = 0; tries < mostTries; tries += 1) {
    const answer = await input.ask(`${input.intro}\n${field.label}${complaint}`, choices);
    if (answer.kind !== "answer") return { kind: "decline" };
    if (!field.isRequired && answer.text === skip) return { kind: "skipped" };
    const value = valueFor(field, answer.text);
    if (value !== undefined) return { kind: "value", value };
    complaint = `\n"${truncateEnd(answer.text, 60)}" does not fit; ${expectation(field)}.`;
  }
  return { kind: "decline" };
}

function valueFor(field: Field, text: string): Value | undefined {
  switch (field.kind) {
    case "text":
      return text;
    case "yes-no":
      return text === "Yes" ? true : text === "No" ? false : undefined;
    case "choice":
      return field.choices.get(text) ?? ([...field.choices.values()].includes(text) ? text : undefined);
    case "number":
    case "integer": {
      const value = Number(text.replace(",", "."));
      const isWhole = field.kind === "number" || Number.isInteger(value);
      const isWithin = value >= (field.minimum ?? -Infinity) && value <= (field.maximum ?? Infinity);
      return Number.isFinite(value) && isWhole && isWithin ? value : undefined;
    }
    case "unknown":
      return undefined;
  }
}

function expectation({ kind, minimum, maximum }: Field): string {
  if (kind === "yes-no") return "answer Yes or No";
  if (kind === "choice") return "choose one of the answers";
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return [`a ${kind === "integer" ? "whole " : ""}number is wanted`, ...bounds].join(", ");
}

function fieldsOf(schema: Readonly<Record<string, unknown>>): readonly Field[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, raw]) =>
    fieldOf(name, isRecord(raw) ? raw : {}, required.includes(name)),
  );
}

function fieldOf(name: string, raw: Readonly<Record<string, unknown>>, isRequired: boolean): Field {
  const { title, description, minimum, maximum } = raw;
  const heading = typeof title === "string" ? title : name;
  const detail = typeof description === "string" ? ` (${truncateEnd(description, 300)})` : "";
  const named = choicesOf(raw);
  const kind = named.size > 0 ? "choice" : kindOf(raw["type"]);
  return {
    name,
    label: `${truncateEnd(heading, 100)}${detail}`,
    isRequired,
    kind,
    choices:
      kind === "yes-no"
        ? new Map([
            ["Yes", "true"],
            ["No", "false"],
          ])
        : named,
    ...(typeof minimum === "number" ? { minimum } : {}),
    ...(typeof maximum === "number" ? { maximum } : {}),
  };
}

function kindOf(type: unknown): Field["kind"] {
  if (type === "string") return "text";
  if (type === "boolean") return "yes-no";
  return type === "number" || type === "integer" ? type : "unknown";
}

/** `enum` with or without names, or `oneOf` of constants with titles. */
function choicesOf(raw: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const { enum: values, enumNames, oneOf } = raw;
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return new Map(
      values.flatMap((value, index) => {
        const name = names[index];
        return typeof value === "string" ? [[typeof name === "string" ? name : value, value] as const] : [];
      }),
    );
  }
  const options: readonly unknown[] = Array.isArray(oneOf) ? oneOf : [];
  return new Map(
    options.flatMap((one) => {
      if (!isRecord(one) || typeof one["const"] !== "string") return [];
      return [[typeof one["title"] === "string" ? one["title"] : one["const"], one["const"]] as const];
    }),
  );
}
