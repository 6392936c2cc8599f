import { defined } from "#foundation/defined";
import { parseFrontMatter } from "#foundation/text/front-matter";
import { readRecord, readRecords, readText, readTexts } from "#foundation/text/read-fields";
import { readCapabilities, type SkillCapability } from "./capability.ts";

export const maxNameLength = 64;
const maxDescriptionLength = 1_024;
export const maxSkillChars = 100_000;

/** Names of newly created skills. Found ones may be called what they like. */
export const createdNamePattern = /^[a-z0-9][a-z0-9._-]*$/;

export type SkillPlatform = "macos" | "linux" | "windows";

export interface RequiredVariable {
  readonly name: string;
  readonly prompt?: string;
  readonly help?: string;
  readonly requiredFor?: string;
  readonly isOptional: boolean;
}

interface RequiredFile {
  /** Relative to the Hermes home. */
  readonly path: string;
  readonly description?: string;
}

/** A value the user may set under `skills.config.<key>`. */
interface SkillSetting {
  readonly key: string;
  readonly description?: string;
  readonly prompt?: string;
  readonly fallback?: unknown;
}

/** When the index shows a skill. Lists and `skill_view` do not look at this. */
export interface SkillConditions {
  readonly requiresToolsets: readonly string[];
  readonly requiresTools: readonly string[];
  readonly fallbackForToolsets: readonly string[];
  readonly fallbackForTools: readonly string[];
}

/** What the head of a SKILL.md says. */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly author?: string;
  readonly license?: string;
  readonly compatibility?: string;
  /** Undefined: every platform. */
  readonly platforms?: readonly string[];
  readonly variables: readonly RequiredVariable[];
  readonly credentialFiles: readonly RequiredFile[];
  readonly commands: readonly string[];
  readonly tags: readonly string[];
  readonly relatedSkills: readonly string[];
  readonly conditions: SkillConditions;
  readonly settings: readonly SkillSetting[];
  /** What the skill says it does; undefined when it says nothing. */
  readonly capabilities?: readonly SkillCapability[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface SkillText {
  readonly facts: SkillFacts;
  readonly body: string;
  /** What a strict reader would refuse. */
  readonly problems: readonly string[];
}

/** Reads a SKILL.md as found in the wild: `fallbackName` (the folder) serves when the head names none. */
export async function readSkillText(text: string, fallbackName: string): Promise<SkillText> {
  const head = await parseFrontMatter(text);
  const fields = head.kind === "parsed" ? head.fields : {};
  const body = head.kind === "parsed" ? head.body : text;
  return { facts: readFacts(fields, body, fallbackName), body, problems: problemsOf(head.kind, fields, body) };
}

function problemsOf(
  kind: "parsed" | "missing" | "unclosed",
  fields: Readonly<Record<string, unknown>>,
  body: string,
): readonly string[] {
  if (kind === "missing") return ["SKILL.md must begin with a line --- that opens its YAML head"];
  if (kind === "unclosed") return ["the YAML head is not closed by a line ---"];
  const problems: string[] = [];
  const name = readText(fields["name"]);
  const description = readText(fields["description"]);
  if (name === undefined) problems.push("the head has no name");
  else if (name.length > maxNameLength) problems.push(`the name has more than ${maxNameLength} characters`);
  if (description === undefined) problems.push("the head has no description");
  else if (description.length > maxDescriptionLength)
    problems.push(`the description has more than ${maxDescriptionLength} characters`);
  if (body.trim() === "") problems.push("there are no instructions after the head");
  return problems;
}

function readFacts(fields: Readonly<Record<string, unknown>>, body: string, fallbackName: string): SkillFacts {
  const hermes = readRecord(readRecord(fields["metadata"])["hermes"]);
  const both = (key: string): readonly string[] => readTexts(hermes[key] ?? fields[key]);
  const platforms = readTexts(fields["platforms"]).map((one) => one.toLowerCase());
  const capabilities = hermes["capabilities"] === undefined ? undefined : readCapabilities(hermes["capabilities"]);
  const metadata = fields["metadata"] === undefined ? undefined : readRecord(fields["metadata"]);
  return {
    name: oneLine(readText(fields["name"]) ?? fallbackName).slice(0, maxNameLength),
    description: oneLine(readText(fields["description"]) ?? firstLine(body)).slice(0, maxDescriptionLength),
    ...optional("version", readText(fields["version"])),
    ...optional("author", readText(fields["author"])),
    ...optional("license", readText(fields["license"])),
    ...optional("compatibility", readText(fields["compatibility"])),
    ...(platforms.length === 0 ? {} : { platforms }),
    variables: readVariables(fields),
    credentialFiles: readRecords(fields["required_credential_files"]).flatMap(readCredentialFile),
    commands: readTexts(readRecord(fields["prerequisites"])["commands"]),
    tags: both("tags"),
    relatedSkills: both("related_skills"),
    conditions: {
      requiresToolsets: both("requires_toolsets"),
      requiresTools: both("requires_tools"),
      fallbackForToolsets: both("fallback_for_toolsets"),
      fallbackForTools: both("fallback_for_tools"),
    },
    settings: readRecords(hermes["config"]).flatMap(readSetting),
    ...defined({ capabilities, metadata }),
  };
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return defined({ [key]: value }) as { readonly [P in K]?: string };
}

/** The names of a skill stand in the prompt, one per line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function firstLine(body: string): string {
  const line = body.split("\n").find((one) => one.trim() !== "" && !one.trim().startsWith("#"));
  return (line ?? "").trim();
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The current field and the two older ones, each name once; the first mention wins. */
function readVariables(fields: Readonly<Record<string, unknown>>): readonly RequiredVariable[] {
  const listed = fields["required_environment_variables"];
  const input: readonly unknown[] = [
    ...(Array.isArray(listed) ? listed : readTexts(listed)),
    ...readTexts(readRecord(fields["prerequisites"])["env_vars"]),
    ...readRecords(readRecord(fields["setup"])["collect_secrets"]),
  ];
  const variables = new Map<string, RequiredVariable>();
  for (const one of input.map(readVariable)) {
    if (one !== undefined && !variables.has(one.name)) variables.set(one.name, one);
  }
  return [...variables.values()];
}

function readVariable(input: unknown): RequiredVariable | undefined {
  const plain = readText(input);
  const record = readRecord(input);
  const name = plain ?? readText(record["name"] ?? record["env_var"]);
  if (name === undefined || !variableName.test(name)) return undefined;
  return {
    name,
    isOptional: record["optional"] === true,
    ...optional("prompt", readText(record["prompt"])),
    ...optional("help", readText(record["help"] ?? record["provider_url"])),
    ...optional("requiredFor", readText(record["required_for"])),
  };
}

function readCredentialFile(record: Readonly<Record<string, unknown>>): readonly RequiredFile[] {
  const path = readText(record["path"]);
  return path === undefined ? [] : [{ path, ...optional("description", readText(record["description"])) }];
}

function readSetting(record: Readonly<Record<string, unknown>>): readonly SkillSetting[] {
  const key = readText(record["key"]);
  if (key === undefined) return [];
  return [
    {
      key,
      ...optional("description", readText(record["description"])),
      ...optional("prompt", readText(record["prompt"])),
      ...defined({ fallback: record["default"] }),
    },
  ];
}
