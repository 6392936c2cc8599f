import { existsSync, readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";

/** Text to token ids and back, exactly as the model's own tokenizer does it. */
export interface ModelTokenizer {
  encode(text: string, options?: { readonly hasSpecialTokens?: boolean }): readonly number[];
  decode(ids: readonly number[], options?: { readonly skipsSpecialTokens?: boolean }): string;
  /** The id every prompt begins with, where the model has one. */
  readonly beginId: number | undefined;
  /** The model's Jinja template for conversations. */
  readonly chatTemplate: string | undefined;
  /** Names of special tokens that templates use: `bos_token`, `eos_token`, … */
  readonly specialTokens: Readonly<Record<string, string>>;
}

export interface TokenizerLocation {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads `tokenizer.json` with `tokenizer_config.json` from a folder, or from the local Hugging Face cache by the name of a
 * model. Nothing is downloaded and nothing of the folder is executed.
 */
export async function openTokenizer(name: string, location: TokenizerLocation): Promise<ModelTokenizer> {
  const folder = tokenizerFolder(name, location);
  if (folder === undefined)
    throw new UserError(`There is no tokenizer ${JSON.stringify(name)} on this machine.`, {
      hint: "Name a folder with a tokenizer.json, or a model in the Hugging Face cache. Nothing is downloaded.",
      exitCode: 2,
    });
  const { Tokenizer } = await import("@huggingface/tokenizers");
  const config = await readObject(path.join(folder, "tokenizer_config.json"), {});
  const tokenizer = new Tokenizer(await readObject(path.join(folder, "tokenizer.json")), config);
  const specialTokens = Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) => {
      const text = isRecord(value) ? value["content"] : value;
      return key.endsWith("_token") && typeof text === "string" ? [[key, text]] : [];
    }),
  );
  const begin = specialTokens["bos_token"];
  const templateFile = path.join(folder, "chat_template.jinja");
  const template = config["chat_template"];
  return {
    encode: (text, options = {}) =>
      tokenizer.encode(text, { add_special_tokens: options.hasSpecialTokens ?? true }).ids,
    decode: (ids, options = {}) =>
      tokenizer.decode([...ids], {
        skip_special_tokens: options.skipsSpecialTokens ?? false,
        clean_up_tokenization_spaces: false,
      }),
    beginId: begin === undefined ? undefined : tokenizer.token_to_id(begin),
    chatTemplate: existsSync(templateFile)
      ? await readFile(templateFile, "utf8")
      : typeof template === "string"
        ? template
        : undefined,
    specialTokens,
  };
}

function tokenizerFolder(name: string, { cwd, env }: TokenizerLocation): string | undefined {
  const here = path.resolve(cwd, name.replace(/[/\\]tokenizer\.json$/, ""));
  const home = env["HF_HOME"] ?? path.join(env["HOME"] ?? "", ".cache", "huggingface");
  const cached = path.join(env["HF_HUB_CACHE"] ?? path.join(home, "hub"), `models--${name.replaceAll("/", "--")}`);
  const snapshots = path.join(cached, "snapshots");
  const dated = existsSync(snapshots) ? readdirSync(snapshots).map((one) => path.join(snapshots, one)) : [];
  const newest = dated.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
  return [here, ...newest].find((folder) => existsSync(path.join(folder, "tokenizer.json")));
}

async function readObject(file: string, absent?: Record<string, unknown>): Promise<Record<string, unknown>> {
  if (absent !== undefined && !existsSync(file)) return absent;
  const parsed = parseJson(await readFile(file, "utf8"));
  if (parsed.ok && isRecord(parsed.value)) return parsed.value;
  throw new UserError(`${file} is not a JSON object.`, { exitCode: 2 });
}
