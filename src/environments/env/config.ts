import { readFile } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";
import { nearest } from "#foundation/text/similarity";
import { fieldNotes } from "./field-notes.ts";

/** What a field may hold. `null` is a value of every field whose usual value is null. */
type Kind = "text" | "number" | "flag" | "list" | "object";
type Fields = Readonly<Record<string, readonly [kind: Kind, usual: unknown]>>;

/** What every environment can be told. The names are those of existing files. */
const agentFields = {
  enabled_toolsets: ["list", null],
  disabled_toolsets: ["list", null],
  distribution: ["text", null],
  max_agent_turns: ["number", 30],
  agent_temperature: ["number", 1],
  system_prompt: ["text", null],
  terminal_backend: ["text", "local"],
  terminal_timeout: ["number", 120],
  terminal_lifetime: ["number", 3600],
  dataset_name: ["text", null],
  dataset_split: ["text", "train"],
  dataset_limit: ["number", null],
  dataset_offset: ["number", 0],
  dataset_shuffle: ["number", null],
  dataset_filter: ["text", null],
  prompt_field: ["text", "prompt"],
  tool_pool_size: ["number", 128],
  tool_call_parser: ["text", "hermes"],
  extra_body: ["object", null],
  default_result_size_chars: ["number", 100_000],
  turn_budget_chars: ["number", 200_000],
  preview_size_chars: ["number", 1500],
  tool_result_overrides: ["object", null],
  eval_handling: ["text", "STOP_TRAIN"],
  attempts: ["number", 1],
} as const satisfies Fields;

const baseFields = {
  group_size: ["number", 4],
  max_num_workers: ["number", -1],
  max_num_workers_per_node: ["number", 8],
  max_eval_workers: ["number", 16],
  steps_per_eval: ["number", 100],
  max_token_length: ["number", 2048],
  eval_limit_ratio: ["number", 0.5],
  inference_weight: ["number", 1],
  batch_size: ["number", -1],
  max_batches_offpolicy: ["number", 3],
  tokenizer_name: ["text", null],
  rollout_server_url: ["text", "http://localhost:8000"],
  total_steps: ["number", 1000],
  wandb_name: ["text", null],
  ensure_scores_are_not_same: ["flag", true],
  data_path_to_save_groups: ["text", null],
  data_dir_to_save_evals: ["text", null],
  min_items_sent_before_logging: ["number", 2],
  include_messages: ["flag", false],
  min_batch_allocation: ["number", null],
  worker_timeout: ["number", 600],
  use_wandb: ["flag", true],
  num_rollouts_to_keep: ["number", 32],
  num_rollouts_per_group_for_logging: ["number", 1],
  thinking_mode: ["flag", false],
  reasoning_effort: ["text", null],
  max_reasoning_tokens: ["number", null],
  custom_thinking_prompt: ["text", null],
} as const satisfies Fields;

const serverFields = {
  model_name: ["text", null],
  base_url: ["text", ""],
  api_key: ["text", ""],
  server_type: ["text", "openai"],
  token_source: ["text", "generate"],
  tokenizer_name: ["text", null],
  timeout: ["number", 1200],
  num_max_requests_at_once: ["number", 512],
  num_requests_for_eval: ["number", 64],
  health_check: ["flag", true],
  rolling_buffer_length: ["number", 1000],
  // Of existing files: taken and told again, without a meaning here.
  weight: ["number", 1],
  n_kwarg_is_ignored: ["flag", false],
} as const satisfies Fields;

type Value<K extends Kind> = K extends "text"
  ? string
  : K extends "number"
    ? number
    : K extends "flag"
      ? boolean
      : K extends "list"
        ? readonly string[]
        : Readonly<Record<string, unknown>>;
type Values<F extends Fields> = {
  readonly [N in keyof F]: F[N] extends readonly [infer K extends Kind, infer U]
    ? U extends null
      ? Value<K> | null
      : Value<K>
    : never;
};

export type EnvConfig = Values<typeof agentFields> & Values<typeof baseFields>;
export type ServerConfig = Values<typeof serverFields>;

export interface EnvironmentConfig {
  readonly env: EnvConfig;
  /** Fields that only this environment has. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly servers: readonly ServerConfig[];
}

export interface ConfigSources {
  /** The usual values of the environment, its own fields included. */
  readonly usual: Readonly<Record<string, unknown>>;
  readonly usualServer?: Readonly<Record<string, unknown>> | undefined;
  /** What the command makes of them. */
  readonly mode: Readonly<Record<string, unknown>>;
  /** A YAML file with `env` and `openai`. */
  readonly file?: string | undefined;
  /** `env.x` and `openai.x`, as typed. */
  readonly flags: Readonly<Record<string, string>>;
}

/** The environment's values, then the command's, then those of the file, then those of the line. */
export async function readEnvironmentConfig(sources: ConfigSources): Promise<EnvironmentConfig> {
  const { env: fromFile, servers: serversInFile } = await readFileGroups(sources.file);
  const ownFields = fieldsOfItsOwn(sources.usual);
  const fields: Fields = { ...agentFields, ...baseFields, ...ownFields };
  const flags = flagGroup(sources.flags, "env");
  const values = mergeFields(fields, { ...sources.usual, ...sources.mode, ...fromFile }, flags);
  if (
    values["distribution"] !== null &&
    values["enabled_toolsets"] !== null &&
    "distribution" in { ...fromFile, ...flags }
  )
    values["enabled_toolsets"] = null;
  for (const [name, allowed] of Object.entries(choices)) checkChoice(name, values[name], allowed);
  const serverFlags = flagGroup(sources.flags, "openai");
  if (serversInFile.length > 1 && Object.keys(serverFlags).length > 0)
    throw usage("With several servers in the file, --openai.* says nothing about which one is meant.");
  const listed = serversInFile.length === 0 ? [{}] : serversInFile;
  const servers = listed.map((server) => mergeFields(serverFields, { ...sources.usualServer, ...server }, serverFlags));
  const own = Object.fromEntries(Object.keys(ownFields).map((name) => [name, values[name]]));
  return { env: values as unknown as EnvConfig, own, servers: servers as unknown as readonly ServerConfig[] };
}

/** Fields that take one of a few words. */
const choices = {
  eval_handling: ["STOP_TRAIN", "LIMIT_TRAIN", "NONE"],
  reasoning_effort: ["none", "minimal", "low", "medium", "high", "xhigh"],
} as const;

function checkChoice(name: string, value: unknown, allowed: readonly string[]): void {
  if (value === null || allowed.includes(String(value))) return;
  throw usage(`${name} cannot be ${JSON.stringify(value)}; it is one of: ${allowed.join(", ")}.`);
}

function fieldsOfItsOwn(usual: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(
    Object.entries(usual).flatMap(([name, value]) =>
      name in agentFields || name in baseFields ? [] : [[name, [kindOf(value), value] as const]],
    ),
  );
}

/** What can be set about an environment. */
export interface FieldFacts {
  readonly name: string;
  readonly type: string;
  readonly default: unknown;
  readonly description: string;
}

export function fieldsOf(usual: Readonly<Record<string, unknown>>): readonly FieldFacts[] {
  const fields: Fields = { ...agentFields, ...baseFields, ...fieldsOfItsOwn(usual) };
  return Object.entries(fields).map(([name, [type, plain]]) => ({
    name,
    type,
    default: name in usual ? usual[name] : plain,
    description: fieldNotes[name] ?? "A field of this environment alone",
  }));
}

/** One value as the field wants it; a `UserError` says why it cannot be. Models write numbers and lists as text, too. */
export function readField(usual: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const fields: Fields = { ...agentFields, ...baseFields, ...fieldsOfItsOwn(usual) };
  const field = fields[name];
  if (field === undefined) throw usage(`There is no field ${name}.`);
  return typeof value === "string" ? fromText(name, value, field) : checkedValue(name, value, field);
}

async function readFileGroups(file: string | undefined) {
  if (file === undefined) return { env: {}, servers: [] };
  const { parse } = await import("yaml");
  const value: unknown = parse(await readFile(file, "utf8")) ?? {};
  if (!isRecord(value)) throw usage(`${file} holds no settings.`);
  const { env = {}, openai = [] } = value;
  if (!isRecord(env)) throw usage(`${file}: env is no group of settings.`);
  const servers = (Array.isArray(openai) ? openai : [openai]).filter(isRecord);
  return { env, servers };
}

function flagGroup(flags: Readonly<Record<string, string>>, group: string): Readonly<Record<string, string>> {
  const own = Object.entries(flags).filter(([name]) => name.startsWith(`${group}.`));
  return Object.fromEntries(own.map(([name, text]) => [name.slice(group.length + 1).replaceAll("-", "_"), text]));
}

function mergeFields(
  fields: Fields,
  input: Readonly<Record<string, unknown>>,
  flags: Readonly<Record<string, string>>,
): Record<string, unknown> {
  for (const name of [...Object.keys(input), ...Object.keys(flags)])
    if (!(name in fields)) {
      const meant = nearest(name, Object.keys(fields));
      throw usage(`There is no field ${name}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`);
    }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const text = flags[name];
      if (text !== undefined) return [name, fromText(name, text, field)];
      return [name, name in input ? checkedValue(name, input[name], field) : field[1]];
    }),
  );
}

function kindOf(value: unknown): Kind {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "flag";
  if (Array.isArray(value)) return "list";
  return isRecord(value) ? "object" : "text";
}

function fromText(name: string, text: string, [kind, usual]: Fields[string]): unknown {
  if (text === "None" || text === "null") return null;
  if (kind === "text") return text;
  if (kind === "flag" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const parsed = parseJson(text);
  if (kind === "list" && !(parsed.ok && Array.isArray(parsed.value))) return text.split(",").map((item) => item.trim());
  return checkedValue(name, parsed.ok ? parsed.value : text, [kind, usual]);
}

function checkedValue(name: string, value: unknown, [kind]: Fields[string]): unknown {
  if (value === null || value === undefined) return null;
  if (kindOf(value) === kind) return value;
  throw usage(`${name} cannot be ${JSON.stringify(value)}; it is a ${kind}.`);
}

function usage(message: string): UserError {
  return new UserError(message, { code: "usage", exitCode: 2 });
}

/** As the file has it, without secrets, for the record of a run. */
export async function configText({ env, servers }: EnvironmentConfig): Promise<string> {
  const { stringify } = await import("yaml");
  const shown = servers.map((server) => ({ ...server, api_key: server.api_key === "" ? "" : "***" }));
  return stringify({ env, openai: shown.length === 1 ? shown[0] : shown });
}
