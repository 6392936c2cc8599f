import { codeUse } from "../../../shell/programs/interpreters.ts";
import {
  type OptionWords,
  readOptions,
  type SuppliedOption,
  valuesOf,
  wordSet,
} from "../../../shell/programs/option-words.ts";
import { shells } from "../../../shell/reading/scripts.ts";
import { type Argument, hasUnknown, type SimpleCommand, unknownText, withText } from "../../../shell/simple-command.ts";
import { keys } from "../keys.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import {
  harmlessPrograms,
  runningGitSettings,
  runningName,
  runningOptions,
  runningSshSettings,
  usualCommands,
} from "../programs/program-options.ts";
import { asksForHelp } from "../programs/risks/match.ts";
import { styleOf } from "../programs/styles.ts";
import { loadsForeign } from "./loading.ts";
import { isKnownName } from "./naming.ts";
import { otherwiseRuns } from "./ways-to-run.ts";

/** Programs that a command runs by its options or its files, when somebody should be asked. */
export function runningKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const name = command.name ?? "";
  if (asksForHelp(command.args)) return [];
  const words = readOptions(command.args, styleOf(name));
  const found = new Set<string>();
  if (optionRuns(name, words, command.args) || settingRuns(name, words) || otherwiseRuns(name, words, command))
    found.add(keys.optionRuns);
  if (loadsForeign(command, location)) found.add(keys.optionRuns);
  for (const key of scriptKeys(command, location)) found.add(key);
  if (isFoundScript(command)) found.add(keys.optionRuns);
  return [...found];
}

function optionRuns(name: string, words: OptionWords, args: readonly Argument[]): boolean {
  const listed = Object.hasOwn(runningOptions, name) ? (runningOptions[name] ?? "") : "";
  const sets = wordSet(listed);
  for (const { name: option, value } of [...words.options, ...wholeWordOptions(args, sets)]) {
    const isListed =
      sets.has(option) || [...sets].some((one) => one.startsWith("--") && option.length > 4 && one.startsWith(option));
    const isNamed = isListed || (runningName.test(option) && value !== undefined);
    if (!isNamed) continue;
    const text = value?.text ?? "";
    if (hasUnknown(text)) return true;
    if (isListed ? !isHarmlessValue(name, option, text) : !isUsualCommand(text)) return true;
  }
  return false;
}

/** `-wrapper x`, `-fplugin=x` and long options whose value is the next word, however a program reads its letters. */
function wholeWordOptions(args: readonly Argument[], listed: ReadonlySet<string>): readonly SuppliedOption[] {
  return args.flatMap((arg, index) => {
    const match = /^(--?[A-Za-z][\w-]+)(?:=([\s\S]*))?$/.exec(arg.text);
    const name = match?.[1];
    if (name === undefined || !(listed.has(name) || (name.startsWith("--") && runningName.test(name)))) return [];
    const next = args[index + 1];
    const value =
      match?.[2] === undefined ? (next?.text.startsWith("-") === true ? undefined : next) : withText(arg, match[2]);
    return [{ name, value }];
  });
}

function isHarmlessValue(name: string, option: string, text: string): boolean {
  if (harmlessPrograms.test(text)) return true;
  if (option === "--checkpoint-action") return !/exec/.test(text);
  if (name === "git" && (option === "-O" || option === "-x" || option === "--exec"))
    return text === "" ? option === "-x" : isUsualCommand(text);
  if (name === "nmap" && option === "--script") return /^[\w,*-]+$/.test(text);
  if (name === "rustc" && option === "-C") return !/linker|wrapper|link-arg/.test(text);
  if (name === "docker" || name === "podman") return isKnownName(text) && !shells.has(text.split("/").at(-1) ?? "");
  if (name === "cmake" && option === "-C") return text === "";
  if (name === "cargo") return !/wrapper|linker|runner|rustc|registry|source/.test(text);
  if (name === "ansible" && /^-m$|--module-name/.test(option))
    return !/shell|command|raw|script|copy|file|user|cron|service|apt|yum/.test(text);
  if (name === "gdb")
    return /^(?:run|bt|backtrace|quit|info .*|break .*|continue|thread .*|set (?:pagination|confirm) .*|print .*|p .*|x\/.*|disassemble.*|where|up|down|list.*|frame.*)$/.test(
      text,
    );
  if (name === "ansible" || name === "dpkg") return false;
  return false;
}

/** What pages, edits, builds and tests, with words that hold no syntax of a shell. */
function isUsualCommand(text: string): boolean {
  return (harmlessPrograms.test(text.trim()) || usualCommands.test(text.trim())) && !/[;&|`$<>(){}\\]/.test(text);
}

/** `git -c core.pager=…`, `ssh -o ProxyCommand=…`. */
function settingRuns(name: string, words: OptionWords): boolean {
  if (name === "git")
    return valuesOf(words, "-c --config").some((one) => {
      const [setting = "", value = ""] = [one.text.split("=")[0], one.text.split("=").slice(1).join("=")];
      return (
        hasUnknown(setting) ||
        (/sslverify$/i.test(setting) && /^(?:false|0|no)$/i.test(value)) ||
        (runningGitSettings.test(setting) && !harmlessPrograms.test(value) && !/^(?:false|true|never|)$/.test(value))
      );
    });
  if (/^(?:ssh|scp|sftp|autossh|sshfs|mosh|rsync|ssh-copy-id)$/.test(name))
    return valuesOf(words, "-o").some((one) => runningSshSettings.test(one.text) || hasUnknown(one.text));
  return false;
}

/** Scripts that run although nobody here can say what is in them. */
function scriptKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const name = command.name ?? "";
  const isSourced = name === "source" || name === ".";
  if (shells.has(name) || isSourced) {
    const file = command.args.find((arg) => !/^[-+]/.test(arg.text));
    const takesCode = command.args.some((arg) => /^-[a-zA-Z]*[cs]$/.test(arg.text));
    return file === undefined || takesCode || isOwnScript(file, command, { location, isSourced })
      ? []
      : [keys.unknownScript];
  }
  const code = codeUse(command);
  if (code === undefined) return [];
  const files = [...(code.file === undefined ? [] : [code.file]), ...code.loads.filter((one) => /[/.]/.test(one.text))];
  if (files.some((file) => !isOwnScript(file, command, { location, isSourced: false }))) return [keys.unknownScript];
  if (code.codes.some((one) => hasUnknown(one.text))) return [keys.unknownScript];
  if (code.file !== undefined && command.scriptText?.trim() === unknownText) return [keys.unknownScript];
  return code.readsInput && hasUnknown(command.input ?? "") ? [keys.unknownScript] : [];
}

const setupFolders = /^(?:\/etc\/profile(?:\.d\/.*)?|\/etc\/bash_completion|\/usr\/(?:share|lib|local)\/.*|\/opt\/.*)$/;

/** A script of the project, or one that a system or a tool brings along. */
function isOwnScript(
  file: Argument,
  command: SimpleCommand,
  { location, isSourced }: { readonly location: PathLocation; readonly isSourced: boolean },
): boolean {
  if (!file.isKnown || file.hasGlob) return false;
  if (/^https?:/.test(file.text)) return true;
  const target = patternOf(file, command, location);
  if (target === undefined) return false;
  if (location.workspace !== undefined && isInside(target, location.workspace)) return true;
  if (/^\/(?:usr|opt|nix|Library|System)\//.test(target)) return true;
  if (!isSourced) return false;
  return (
    setupFolders.test(target) ||
    (isInside(target, location.home) &&
      /\/(?:\.?(?:bashrc|profile|bash_profile|zshrc|zprofile|bash_aliases)|activate|nvm\.sh|env|.*\.(?:sh|bash|zsh|fish))$/.test(
        target,
      ) &&
      !location.tempDirs.some((one) => isInside(target, one)))
  );
}

/** `find -exec ./x`, `xargs ./x`: a script of nobody knows what, over many files. */
function isFoundScript(command: SimpleCommand): boolean {
  const carrier = command.wrappers.at(-1);
  return (
    /^(?:find|fd|fdfind|xargs|parallel|watch|entr|flock|env|ionice|script|expect)$/.test(carrier ?? "") &&
    command.path.includes("/") &&
    !/^\/(?:usr\/)?(?:local\/)?s?bin\//.test(command.path)
  );
}
