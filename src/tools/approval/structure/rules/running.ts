import { codeUse } from "../../../shell/programs/interpreters.ts";
import { type OptionWords, readOptions, valuesOf, wordSet } from "../../../shell/programs/option-words.ts";
import { shells } from "../../../shell/reading/scripts.ts";
import { type Argument, hasUnknown, type SimpleCommand } from "../../../shell/simple-command.ts";
import { keys } from "../keys.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import {
  harmlessPrograms,
  runningGitSettings,
  runningName,
  runningOptions,
  runningSshSettings,
} from "../programs/program-options.ts";
import { asksForHelp } from "../programs/risks/match.ts";
import { styleOf } from "../programs/styles.ts";
import { isKnownName } from "./naming.ts";

/** Programs that a command runs by its options or its files, when somebody should be asked. */
export function runningKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const name = command.name ?? "";
  if (asksForHelp(command.args)) return [];
  const words = readOptions(command.args, styleOf(name));
  const found = new Set<string>();
  if (optionRuns(name, words) || settingRuns(name, words) || otherwiseRuns(name, words, command))
    found.add(keys.optionRuns);
  for (const key of scriptKeys(command, location)) found.add(key);
  if (isFoundScript(command)) found.add(keys.optionRuns);
  return [...found];
}

function optionRuns(name: string, words: OptionWords): boolean {
  const listed = Object.hasOwn(runningOptions, name) ? (runningOptions[name] ?? "") : "";
  const sets = wordSet(listed);
  for (const { name: option, value } of words.options) {
    const isListed =
      sets.has(option) || [...sets].some((one) => one.startsWith("--") && option.length > 4 && one.startsWith(option));
    const isNamed = isListed || (runningName.test(option) && value !== undefined);
    if (!isNamed) continue;
    const text = value?.text ?? "";
    if (hasUnknown(text)) return true;
    if (isListed ? !isHarmlessValue(name, option, text) : !isKnownCommand(text)) return true;
  }
  return false;
}

function isHarmlessValue(name: string, option: string, text: string): boolean {
  if (harmlessPrograms.test(text)) return true;
  if (option === "--checkpoint-action") return !/exec/.test(text);
  if (name === "git" && (option === "-O" || option === "-x" || option === "--exec"))
    return text === "" ? option === "-x" : isKnownCommand(text);
  if (name === "nmap" && option === "--script") return /^[\w,*-]+$/.test(text);
  if (name === "rustc" && option === "-C") return !/linker|wrapper|link-arg/.test(text);
  if (name === "docker" || name === "podman") return isKnownCommand(text) && !shells.has(text.split("/").at(-1) ?? "");
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

/** A program everybody knows, with words that hold no syntax of a shell. */
function isKnownCommand(text: string): boolean {
  const [program = ""] = text.trim().split(/\s+/);
  return (
    isKnownName(program) &&
    !shells.has(program) &&
    !/[;&|`$<>(){}]/.test(text) &&
    !/^(?:rm|dd|mv|curl|wget|nc|python\d*|perl|ruby|node|php|env|xargs|sudo|chmod|chown|cp|tee|eval|source)$/.test(
      program,
    )
  );
}

/** `git -c core.pager=…`, `ssh -o ProxyCommand=…`. */
function settingRuns(name: string, words: OptionWords): boolean {
  if (name === "git")
    return valuesOf(words, "-c --config").some((one) => {
      const [setting = "", value = ""] = [one.text.split("=")[0], one.text.split("=").slice(1).join("=")];
      return (
        hasUnknown(setting) ||
        (runningGitSettings.test(setting) && !harmlessPrograms.test(value) && !/^(?:false|true|never|)$/.test(value))
      );
    });
  if (/^(?:ssh|scp|sftp|autossh|sshfs|mosh|rsync|ssh-copy-id)$/.test(name))
    return valuesOf(words, "-o").some((one) => runningSshSettings.test(one.text) || hasUnknown(one.text));
  return false;
}

function otherwiseRuns(name: string, words: OptionWords, command: SimpleCommand): boolean {
  const texts = command.args.map((arg) => arg.text);
  switch (name) {
    case "git":
      return texts.some((text) => /^ext::|^fd::/.test(text)) || /^(?:-p|--paginate)$/.test(texts[0] ?? "");
    case "less":
    case "more":
    case "most":
      return texts.some((text) => /^\+.*!|^\+:?[es]/.test(text));
    case "make":
    case "gmake":
      return (
        texts.some((text) => /^(?:SHELL|\.SHELLFLAGS|MAKE|MAKEFLAGS)=/.test(text)) ||
        valuesOf(words, "-f --file --makefile").some((one) => /^-$|^\/dev\//.test(one.text) || hasUnknown(one.text))
      );
    case "java":
      return texts.some((text) =>
        /^-(?:javaagent|agentpath|agentlib):|^-XX:(?:OnError|OnOutOfMemoryError|\+?.*ErrorFile)=|^-Djava\.(?:library|ext)/.test(
          text,
        ),
      );
    case "php":
      return valuesOf(words, "-d").some((one) =>
        /auto_(?:prepend|append)_file|disable_functions|extension|allow_url/.test(one.text),
      );
    case "convert":
    case "magick":
    case "identify":
    case "composite":
    case "montage":
      return texts.some((text) =>
        /^\||^(?:msl|ephemeral|mvg|text|label|caption):@?|^(?:https?|ftp):.*[|;`]/.test(text),
      );
    case "run-parts":
    case "logrotate":
      return words.operands.length > 0;
    case "gnome-terminal":
    case "xterm":
    case "konsole":
    case "x-terminal-emulator":
      return words.operands.length > 0 || texts.some((text) => /^-[ex]$|^--$/.test(text));
    case "ld.so":
    case "ld-linux-x86-64.so.2":
    case "ld-linux-aarch64.so.1":
      return true;
    case "w3m":
    case "lynx":
      return texts.some((text) => /^-(?:o|cmd_script)$/.test(text));
    default:
      return false;
  }
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
