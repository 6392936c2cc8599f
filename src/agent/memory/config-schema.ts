import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";

/** One thing a provider wants to know before it can work. */
export interface ConfigField {
  readonly key: string;
  readonly description: string;
  /** Kept in `.env`, never in a file of the provider. */
  readonly secret?: boolean;
  readonly required?: boolean;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** Where to get the value. */
  readonly url?: string;
  readonly envVar?: string;
  /** Kept in `.env` although it is no secret: where a key is sent is as worth guarding as the key. */
  readonly isInEnvironment?: boolean;
  /** Asked only when these earlier answers were given. */
  readonly when?: Readonly<Record<string, string>>;
  /** A default that depends on an earlier answer. */
  readonly defaultFrom?: { readonly field: string; readonly map: Readonly<Record<string, string>> };
}

export type ConfigSchema = readonly ConfigField[];
export type Answers = Readonly<Record<string, string>>;

/** What stands beside a provider in the list to choose from. */
export type SetupKind = "requires API key" | "local" | "API key / local" | "no setup needed";

export function setupKind(schema: ConfigSchema): SetupKind {
  if (schema.length === 0) return "no setup needed";
  const secrets = schema.filter((field) => field.secret === true);
  if (secrets.length === 0) return "local";
  return secrets.some((field) => field.required === true && field.when === undefined)
    ? "requires API key"
    : "API key / local";
}

/** What the wizard has to put before the person, and nothing about how. */
export interface Question {
  readonly key: string;
  readonly kind: "text" | "choice" | "secret";
  readonly prompt: string;
  readonly isRequired: boolean;
  readonly default?: string;
  readonly choices?: readonly string[];
  readonly url?: string;
  /** `…f3a9`: there is a secret already, and a blank answer keeps it. */
  readonly existing?: string;
}

/**
 * The questions that are open now, in order. A wizard asks the first, adds the answer and calls again: a question
 * that hangs on an answer not yet given is not among them.
 */
export function questionsFor(
  schema: ConfigSchema,
  answers: Answers,
  environment: Readonly<Record<string, string | undefined>> = {},
): readonly Question[] {
  return schema
    .filter((field) => answers[field.key] === undefined && applies(field, answers))
    .map((field) => question(field, answers, environment));
}

function question(
  field: ConfigField,
  answers: Answers,
  environment: Readonly<Record<string, string | undefined>>,
): Question {
  const fallback = defaultOf(field, answers);
  const known = field.secret === true ? environment[variableOf(field)] : undefined;
  return {
    key: field.key,
    kind: field.secret === true ? "secret" : field.choices === undefined ? "text" : "choice",
    prompt: field.description,
    isRequired: field.required === true,
    ...(fallback === undefined || field.secret === true ? {} : { default: fallback }),
    ...defined({ choices: field.choices, url: field.url }),
    ...(known === undefined || known === "" ? {} : { existing: lastFour(known) }),
  };
}

/** A short secret is not shown at all: four of its characters would be most of it. */
function lastFour(secret: string): string {
  return secret.length < 12 ? "…" : `…${secret.slice(-4)}`;
}

export interface AppliedAnswers {
  /** For `.env`. */
  readonly environment: Readonly<Record<string, string>>;
  /** For the provider's `saveConfig`. */
  readonly values: Readonly<Record<string, string>>;
  /** One sentence for each answer that is missing or not among the choices; then nothing should be saved. */
  readonly problems: readonly string[];
}

export interface ApplyOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** False: the provider keeps no file, so every value with a variable goes to `.env`. */
  readonly hasSaveConfig?: boolean;
}

/** Sorts the answers: secrets to the environment, the rest to the provider. A blank secret keeps the one there is. */
export function applyAnswers(schema: ConfigSchema, answers: Answers, options: ApplyOptions = {}): AppliedAnswers {
  const environment: Record<string, string> = {};
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const field of schema) {
    if (!applies(field, answers)) continue;
    const input = answers[field.key]?.trim() ?? "";
    const hasKnown = field.secret === true && (options.environment?.[variableOf(field)] ?? "") !== "";
    const value = input !== "" || field.secret === true ? input : (defaultOf(field, answers) ?? "");
    if (value === "") {
      if (field.required === true && !hasKnown) problems.push(`${field.key} is required.`);
      continue;
    }
    if (field.choices !== undefined && !field.choices.includes(value)) {
      problems.push(`${field.key} must be one of ${field.choices.join(", ")}.`);
      continue;
    }
    const isWithoutFile = options.hasSaveConfig === false && field.envVar !== undefined;
    if (field.secret === true || field.isInEnvironment === true || isWithoutFile)
      environment[variableOf(field)] = value;
    else values[field.key] = value;
  }
  return { environment, values, problems };
}

/** The required variables that are not set, for the status page. */
export function missingVariables(
  schema: ConfigSchema,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return schema
    .filter((field) => field.required === true && field.when === undefined)
    .filter((field) => field.secret === true || field.envVar !== undefined)
    .map(variableOf)
    .filter((name) => (environment[name] ?? "") === "");
}

function applies(field: ConfigField, answers: Answers): boolean {
  return Object.entries(field.when ?? {}).every(([key, wanted]) => answers[key] === wanted);
}

function defaultOf(field: ConfigField, answers: Answers): string | undefined {
  const from = field.defaultFrom;
  const answer = from === undefined ? undefined : answers[from.field];
  return (answer === undefined ? undefined : from?.map[answer]) ?? field.default;
}

function variableOf(field: ConfigField): string {
  return field.envVar ?? field.key.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
}

/** Reads what a provider says about itself; names may be written with underscores. Fields without a key are left out. */
export function readConfigSchema(input: unknown): ConfigSchema {
  if (!Array.isArray(input)) return [];
  return input.filter(isRecord).flatMap((one) => readField(one) ?? []);
}

function readField(one: Readonly<Record<string, unknown>>): ConfigField | undefined {
  const key = one["key"];
  if (typeof key !== "string" || key === "") return undefined;
  const from = one["defaultFrom"] ?? one["default_from"];
  const field: { -readonly [K in keyof ConfigField]: ConfigField[K] } = {
    key,
    description: scalarText(one["description"]) ?? key,
  };
  if (one["secret"] === true) field.secret = true;
  if (one["required"] === true) field.required = true;
  const standard = scalarText(one["default"]);
  if (standard !== undefined) field.default = standard;
  if (Array.isArray(one["choices"]))
    field.choices = one["choices"].flatMap((choice: unknown) => scalarText(choice) ?? []);
  const url = scalarText(one["url"]);
  if (url !== undefined) field.url = url;
  if ((one["isInEnvironment"] ?? one["is_in_environment"]) === true) field.isInEnvironment = true;
  const envVar = scalarText(one["envVar"] ?? one["env_var"]);
  if (envVar !== undefined) field.envVar = envVar;
  if (isRecord(one["when"])) field.when = texts(one["when"]);
  if (isRecord(from) && typeof from["field"] === "string" && isRecord(from["map"])) {
    field.defaultFrom = { field: from["field"], map: texts(from["map"]) };
  }
  return field;
}

function texts(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      const text = scalarText(value);
      return text === undefined ? [] : [[key, text]];
    }),
  );
}

function scalarText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}
