import type { Argument, CommandLine, SimpleCommand } from "../../shell/simple-command.ts";
import { effectKeys, type JudgeLocation } from "../structure/effect-keys.ts";
import { keys } from "../structure/keys.ts";

/** Options that say where a package manager fetches from, or which folder of the workspace it puts things into. */
const fromWhere =
  /^(?:-i|--index-url|--extra-index-url|--index|--default-index|--registry|--trusted-host|--source|--target|-t)(?:=(.*))?$/s;
/** Programs that take packages by their names. */
const managers = /^(?:pip3?(?:\.\d+)?|uv|uvx|pipx|npm|npx|pnpm|pnpx|yarn|bun|bunx|gem)$/;
const runners = /^(?:npx|pnpx|bunx|uvx)$/;
const runningWords: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^dlx$/,
  yarn: /^dlx$/,
  bun: /^x$/,
  pipx: /^run$/,
};
/** A name of a registry with a version at most. */
const packageName = /^(?:@[\w.-]+\/)?[A-Za-z0-9][\w.-]*(?:(?:@|==)[\w.^~-]+)?$/;

/**
 * A package is fetched by its name, from a registry that is named: code of strangers, which a sandbox holds as it holds
 * what any install runs, and the network asks about the host.
 */
export function isFetchedByName(command: SimpleCommand, line: CommandLine, location: JudgeLocation): boolean {
  if (!managers.test(command.name ?? "")) return false;
  const plain = withoutPlainNames(command, withoutRegistries(command.args));
  return plain !== undefined && !effectKeys({ ...command, args: plain }, location, line).includes(keys.supply);
}

/** The words without those that name a registry by a plain address; undefined when one is not plain. */
function withoutRegistries(args: readonly Argument[]): readonly Argument[] | undefined {
  const isPlain = (text: string, option: string): boolean =>
    /^(?:-t|--target)/.test(option)
      ? /^[\w][\w.-]*(?:\/[\w][\w.-]*)*\/?$/.test(text)
      : /^(?:https?:\/\/)?[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(text);
  const kept: Argument[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    if (arg === undefined) break;
    const match = fromWhere.exec(arg.text);
    if (match === null) {
      kept.push(arg);
      continue;
    }
    const value = match[1] === undefined ? args[at + 1] : { ...arg, text: match[1] };
    if (match[1] === undefined) at += 1;
    if (value === undefined || !value.isKnown || !isPlain(value.text, arg.text)) return undefined;
  }
  return kept;
}

/** A runner is left with its options once what it fetches is a plain name. */
function withoutPlainNames(
  { name = "" }: SimpleCommand,
  args: readonly Argument[] | undefined,
): readonly Argument[] | undefined {
  const at = args?.findIndex(({ text }) => !text.startsWith("-")) ?? -1;
  if (args === undefined || at < 0) return args;
  const isRunner = runners.test(name);
  const isRun = isRunner || (Object.hasOwn(runningWords, name) && runningWords[name]?.test(args[at]?.text ?? ""));
  if (isRun !== true) return args;
  const options = args.slice(0, at);
  const named = isRunner ? args[at] : args[at + 1];
  const isPlain = named?.isKnown === true && packageName.test(named.text) && options.every(({ text }) => isQuiet(text));
  return isPlain ? [] : args;
}

function isQuiet(option: string): boolean {
  return /^(?:-y|--yes|-q|--quiet|--no-install|--prefer-offline|--silent|--bun)$/.test(option);
}
