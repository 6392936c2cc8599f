import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { applySkin, type Branding, type ColorKey, colorKeys, type Skin, type SpinnerSkin } from "./skin.ts";
import { defaultSkin } from "./skins.ts";
import { readColor } from "./style.ts";

export interface ReadSkin {
  readonly skin: Skin;
  /** What could not be used, in words; such keys keep the default. */
  readonly warnings: readonly string[];
}

const maxSkinChars = 100_000;

/** A skin from the YAML text of a user's file. Whatever is wrong keeps the default skin's value and is said. */
export async function readSkin(name: string, yaml: string): Promise<ReadSkin> {
  if (yaml.length > maxSkinChars) return unusable(name, `it is longer than ${maxSkinChars} characters`);
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(yaml, { maxAliasCount: 10, logLevel: "error" });
  } catch (error) {
    return unusable(name, describe(error).split("\n")[0] ?? "it is not YAML");
  }
  if (!isRecord(value)) return unusable(name, "it has no keys");
  return fromRecord(name, value);
}

function unusable(name: string, why: string): ReadSkin {
  return { skin: defaultSkin, warnings: [`Skin "${name}" cannot be used: ${why}. The default skin is shown.`] };
}

function fromRecord(name: string, value: Record<string, unknown>): ReadSkin {
  const warnings: string[] = [];
  const warn = (key: string, what: string): void => {
    warnings.push(`Skin "${name}": ${key} ${what}; the default is used.`);
  };
  const spinner = isRecord(value["spinner"]) ? value["spinner"] : {};
  const branding = isRecord(value["branding"]) ? value["branding"] : {};
  const skin = applySkin(defaultSkin, {
    name,
    description: textOr(value["description"], ""),
    colors: colorsOf(value["colors"], warn),
    spinner: spinnerOf(spinner, warn),
    branding: brandingOf(branding, warn),
    ...(typeof value["tool_prefix"] === "string" ? { toolPrefix: oneLine(value["tool_prefix"]) } : {}),
    toolEmojis: emojisOf(value["tool_emojis"], warn),
    ...(typeof value["banner_logo"] === "string" ? { bannerLogo: artOf(value["banner_logo"]) } : {}),
    ...(typeof value["banner_hero"] === "string" ? { bannerHero: artOf(value["banner_hero"]) } : {}),
  });
  return { skin, warnings };
}

type Warn = (key: string, what: string) => void;

function colorsOf(value: unknown, warn: Warn): Partial<Record<ColorKey, string>> {
  const colors: Partial<Record<ColorKey, string>> = {};
  if (!isRecord(value)) return colors;
  for (const [key, color] of Object.entries(value)) {
    const known = colorKeys.find((one) => one === key);
    if (known === undefined) warn(`colors.${key}`, "is not a skin colour");
    else if (typeof color === "string" && readColor(color) !== undefined) colors[known] = color;
    else warn(`colors.${key}`, "is not a colour such as #ffd75f");
  }
  return colors;
}

function spinnerOf(value: Record<string, unknown>, warn: Warn): Partial<SpinnerSkin> {
  const list = (key: string): readonly string[] | undefined => {
    const input = value[key];
    if (input === undefined) return undefined;
    if (Array.isArray(input) && input.length > 0 && input.every((one) => typeof one === "string")) {
      return input.map((one: string) => oneLine(one));
    }
    warn(`spinner.${key}`, "is not a list of strings");
    return undefined;
  };
  const waitingFaces = list("waiting_faces");
  const thinkingFaces = list("thinking_faces");
  const thinkingVerbs = list("thinking_verbs");
  const wings = Array.isArray(value["wings"]) ? value["wings"].filter(isPair).map(toPair) : undefined;
  return {
    ...defined({ waitingFaces, thinkingFaces, thinkingVerbs, wings }),
  };
}

function isPair(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "string");
}

function toPair(value: readonly string[]): readonly [string, string] {
  return [oneLine(value[0] ?? ""), oneLine(value[1] ?? "")];
}

const brandingKeys: Readonly<Record<string, keyof Branding>> = {
  agent_name: "agentName",
  welcome: "welcome",
  goodbye: "goodbye",
  response_label: "responseLabel",
  prompt_symbol: "promptSymbol",
  help_header: "helpHeader",
};

function brandingOf(value: Record<string, unknown>, warn: Warn): Partial<Branding> {
  const branding: Partial<Record<keyof Branding, string>> = {};
  for (const [key, text] of Object.entries(value)) {
    const known = brandingKeys[key];
    if (known === undefined) warn(`branding.${key}`, "is not a skin text");
    else if (typeof text === "string") branding[known] = oneLine(text);
    else warn(`branding.${key}`, "is not a text");
  }
  return branding;
}

function emojisOf(value: unknown, warn: Warn): Record<string, string> {
  const emojis: Record<string, string> = {};
  if (!isRecord(value)) return emojis;
  for (const [tool, emoji] of Object.entries(value)) {
    if (typeof emoji === "string" && emoji !== "") emojis[tool] = oneLine(emoji);
    else warn(`tool_emojis.${tool}`, "is not a text");
  }
  return emojis;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}

/** Art may come with markup of other programs, `[bold #fff]…[/]`, which has no meaning here. */
function artOf(text: string): string {
  return text.replace(/\[\/?[a-z#][^\]\n]{0,40}\]|\[\/\]/gi, "").replace(/\s+$/, "");
}
