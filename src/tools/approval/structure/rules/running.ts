import { carriedBy } from "../../../shell/programs/carriers.ts";
import { type CodeUse, codeUse, interpreterOf } from "../../../shell/programs/interpreters.ts";
import {
  type OptionWords,
  readOptions,
  type SuppliedOption,
  valuesOf,
  wordSet,
} from "../../../shell/programs/option-words.ts";
import { shells } from "../../../shell/reading/scripts.ts";
import {
  type Argument,
  hasUnknown,
  type SimpleCommand,
  unknownArgument,
  unknownText,
  withText,
} from "../../../shell/simple-command.ts";
import { databases } from "../data-rules.ts";
import { keys } from "../keys.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { programFiles } from "../programs/program-files.ts";
import {
  harmlessPrograms,
  loadingProgramName,
  runningGitSettings,
  runningName,
  runningOptions,
  runningSshSettings,
  usualCommands,
} from "../programs/program-options.ts";
import { asksForHelp } from "../programs/risks/match.ts";
import { isCalledScript } from "../programs/script-names.ts";
import { styleOf } from "../programs/styles.ts";
import { isElsewhere } from "./elsewhere.ts";
import { building, loadsForeign } from "./loading.ts";
import { isKnownName } from "./naming.ts";
import { pointsAtStrangers } from "./pointing.ts";
import { obeysAddress, takesProtectionAway } from "./unprotecting.ts";
import { otherwiseRuns } from "./ways-to-run.ts";

/** Programs that a command runs by its options or its files, when somebody should be asked. */
export function runningKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const name = command.name ?? "";
  if (asksForHelp(command.args)) return [];
  const words = readOptions(command.args, styleOf(name));
  const found = new Set<string>();
  if (
    valueRuns(command) ||
    loadsProgram(command) ||
    optionRuns(name, words, command.args) ||
    settingRuns(name, words, command.args) ||
    otherwiseRuns(name, words, command)
  )
    found.add(keys.optionRuns);
  if (loadsForeign(command, location) || pointsAtStrangers(command, location)) found.add(keys.optionRuns);
  if (takesProtectionAway(command)) found.add(keys.optionRuns);
  if (obeysAddress(command)) found.add(keys.supply);
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

/** Programs whose words are text, patterns or commands that are judged for themselves. */
const wordy =
  /^(?:echo|printf|e?grep|fgrep|rg|ag|ack|sed|gsed|[gmn]?awk|jq|yq|git|gh|glab|find|fd|curl|wget|docker|podman|kubectl|ssh|test|\[|\[\[|man|apropos|expect|python[\d.]*|perl|ruby|node|php|lua|tmux|screen|watch|parallel|xargs|env|sudo|su|script|nix-shell|cat|tee|tr|column|sort|date|read|trap|eval|alias|export|declare|local|notify-send|logger|say|psql|mysql|sqlite3|hyperfine|concurrently|npm|cargo|jest|vitest|pytest|mocha|playwright)$/;
/** A value that some program would run: a shell with its words, a pipe, a call of the system. */
const runnable =
  /%sh\{|^\+?:!|(?:^|,)(?:script|downscript|helper|program|plugin|exec)=(?:\.{0,2}|~)\/|^[|!]\s*[\w./~]|(?:^|[\s"'=:/(,])(?:ba|da|z|k|a|c|tc|fi)?sh\s+-\w*c\b|(?:^|=|:)\/(?:usr\/)?bin\/(?:ba|da|z|k)?sh\b|\b(?:exec|system|popen|spawn|shell|command|cmd|execute|shell_command|on[-_]?\w+_command)\s*[=(:]\s*["']?[\w./~]|\$\(\w|`\w|(?:;|&&|\|\|?)\s*(?:rm|sh|bash|curl|wget|nc|python3?|perl|touch|id|cp|mv|chmod|dd|kill)\b/;

/** An option of whatever program hands over something that reads like a command. */
function valueRuns({ name = "", args }: SimpleCommand): boolean {
  if (name === "" || wordy.test(name) || shells.has(name)) return false;
  return args.some(({ text }, at) => {
    const inline = /^--?[A-Za-z][\w.-]*=([\s\S]+)$/.exec(text)?.[1];
    const isValue = at > 0 && /^-/.test(args[at - 1]?.text ?? "") && !text.startsWith("-");
    const value = inline ?? (isValue || /^[|!]|^\+?:?!/.test(text) ? text : undefined);
    return value !== undefined && runnable.test(value);
  });
}

/** `--resolver ./x`: what has no ending is a program, or may be anything. */
function loadsProgram({ name = "", args }: SimpleCommand): boolean {
  const isLoader = interpreterOf(name) !== undefined || building.test(name);
  if (wordy.test(name) && !isLoader && name !== "git") return false;
  return args.some(({ text }, at) => {
    if (isLoader && args[at - 1]?.text === "-r" && /^(?:\.{1,2}|~)\/[\w/@-]+$/.test(text)) return true;
    const inline = /^(--?[A-Za-z][\w-]*)=(?:[\w-]+=)?([\s\S]+)$/.exec(text);
    const option = inline?.[1] ?? args[at - 1]?.text ?? "";
    const value = inline?.[2] ?? text;
    return loadingProgramName.test(option) && /^(?:[\w-]+=)?(?:\.{1,2}|~)?\/(?:[\w.@-]+\/)*[\w@-]+$/.test(value);
  });
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
function settingRuns(name: string, words: OptionWords, args: readonly Argument[]): boolean {
  if (name === "git")
    return valuesOf(words, "-c --config").some((one) => {
      const [setting = "", value = ""] = [one.text.split("=")[0], one.text.split("=").slice(1).join("=")];
      return (
        hasUnknown(setting) ||
        (/sslverify$/i.test(setting) && /^(?:false|0|no)$/i.test(value)) ||
        (runningGitSettings.test(setting) && !harmlessPrograms.test(value) && !/^(?:false|true|never|)$/.test(value))
      );
    });
  if (!/^(?:ssh|scp|sftp|autossh|sshfs|mosh|rsync|ssh-copy-id)$/.test(name)) return false;
  // They are read behind the host, too.
  const behind = args.flatMap(({ text }, at) =>
    args[at - 1]?.text === "-o" ? [text] : (/^-o(\w[\s\S]*)$/.exec(text)?.slice(1, 2) ?? []),
  );
  return [...valuesOf(words, "-o").map(({ text }) => text), ...behind].some(
    (text) => runningSshSettings.test(text) || hasUnknown(text),
  );
}

/** Scripts that run although nobody here can say what is in them. */
function scriptKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const name = command.name ?? "";
  const isSourced = name === "source" || name === ".";
  if (shells.has(name) || isSourced) {
    const file = command.args.find((arg) => !/^[-+]/.test(arg.text));
    const takesCode = command.args.some((arg) => /^-[a-zA-Z]*[cs]$/.test(arg.text));
    if (file === undefined || takesCode) return [];
    return isOwnScript(file, command, { location, isSourced }) && isPlainScript(command, file, true)
      ? []
      : [keys.unknownScript];
  }
  if (obeysForeign(command, location)) return [keys.unknownScript];
  const code = codeUse(command);
  if (code === undefined) return [];
  if (isAwkProgram(code) && (!code.file.isKnown || code.file.hasGlob)) return [keys.unknownScript];
  const script =
    isAwkProgram(code) || isInputOfCode(command, code) ? [] : [code.file].filter((one) => one !== undefined);
  const files = [...script, ...code.loads.filter((one) => /[/.]/.test(one.text))];
  if (files.some((file) => !isOwnScript(file, command, { location, isSourced: false }))) return [keys.unknownScript];
  if (
    code.file !== undefined &&
    code.codes.length === 0 &&
    !isCommandWord(command, code.file) &&
    !isPlainScript(command, code.file, false)
  )
    return [keys.unknownScript];
  if (code.codes.some((one) => hasUnknown(one.text))) return [keys.unknownScript];
  if (code.file !== undefined && command.scriptText?.trim() === unknownText) return [keys.unknownScript];
  return code.readsInput && hasUnknown(command.input ?? "") ? [keys.unknownScript] : [];
}

/** The first word of awk is its program, or what it reads when the program is in a file of an option. */
function isAwkProgram(code: CodeUse): code is CodeUse & { readonly file: Argument } {
  return code.language === "awk" && code.file !== undefined;
}

/** `perl -ne '…' notes.txt`: behind code in the words stands what it works on. */
function isInputOfCode({ name = "" }: SimpleCommand, { codes }: CodeUse): boolean {
  return codes.length > 0 && /^(?:python[\d.]*|perl|ruby|node|php)$/.test(name);
}

/** A program takes its orders from a file that nobody here knows, by an option or on its input. */
function obeysForeign(command: SimpleCommand, location: PathLocation): boolean {
  if (isElsewhere(command)) return false;
  if (command.name === "parallel" && carriedBy("parallel", command.args).length === 0)
    return (
      command.reads.length > 0 ||
      command.upstream.length > 0 ||
      command.args.some(({ text }) => /^(?:-a|--arg-file(?:=.*)?|::::\+?)$/.test(text))
    );
  const files = [...programFiles(command), ...(readsOrders(command) ? [...command.reads, ...readBefore(command)] : [])];
  return files.some(
    (file) => !isOwnScript(file, command, { location, isSourced: false }) || !isPlainScript(command, file, false),
  );
}

/** Called as such scripts are, or written in this session and read. */
function isPlainScript(command: SimpleCommand, file: Argument, isShell: boolean): boolean {
  return command.scriptText !== undefined || isCalledScript(command.name ?? "", file.text, isShell);
}

/** `deno run`, `bun install`, `awk '{…}'`: the first word is no file. */
function isCommandWord({ name = "" }: SimpleCommand, file: Argument): boolean {
  return /^(?:deno|bun|[gmn]?awk|R|dart|nim|crystal|mix)$/.test(name) || /^https?:/.test(file.text);
}

/** What stands on the input of such a program is carried out. */
function readsOrders({ name = "" }: SimpleCommand): boolean {
  return (
    databases.has(name) ||
    /^(?:bc|dc|ed|ex|ftp|lftp|sftp|gdb|lldb|parallel|iptables-restore|nsupdate|at|batch)$/.test(name)
  );
}

/** Files that the program before it in the pipe prints; what comes from elsewhere is a file nobody knows. */
function readBefore(command: SimpleCommand): readonly Argument[] {
  return command.upstream.flatMap((one) => {
    if (/^(?:curl|wget|ssh|nc|ncat|socat|ftp|aria2c|http|https|xh)$/.test(one.name ?? "")) return [unknownArgument()];
    if (!/^(?:cat|head|tail|zcat|gunzip|gzip|bzcat|xzcat|zstdcat|sed|tr|tac|grep)$/.test(one.name ?? "")) return [];
    return [...one.args.filter((arg) => /^[/~]|^\.\.\//.test(arg.text)), ...one.reads];
  });
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
      !/\/(?:Downloads|Desktop|Documents|Public)\//.test(target) &&
      !location.tempDirs.some((one) => isInside(target, one)))
  );
}

/** `find -exec ./x`, `git bisect run ./x`, `nohup ./x`: a script of nobody knows what, over many files, again and again or after the session. */
function isFoundScript(command: SimpleCommand): boolean {
  if (shells.has(command.name ?? "") && command.wrappers.some((one) => detaching.test(one)))
    return command.args.some((arg) => !/^[-+]/.test(arg.text));
  return (
    command.wrappers.some((one) => spreading.test(one)) &&
    command.path.includes("/") &&
    !/^\/(?:usr\/)?(?:local\/)?s?bin\//.test(command.path) &&
    !projectPrograms.test(command.path)
  );
}

/** What runs behind these goes on when the session is over. */
const detaching = /^(?:nohup|setsid|daemonize|daemon|start-stop-daemon|systemd-run|at|batch)$/;
const spreading =
  /^(?:find|gfind|fd|fdfind|xargs|parallel|watch|entr|flock|env|ionice|script|expect|git|nohup|setsid|tmux|screen|dtach|abduco|zellij|daemonize|daemon|start-stop-daemon|systemd-run|at|batch|coproc|caffeinate|systemd-inhibit|runit|chpst)$/;
/** What projects start their own tools with. */
const projectPrograms =
  /(?:^|\/)(?:gradlew|mvnw|node_modules\/\.bin\/[\w.-]+|\.?venv\/bin\/[\w.-]+|vendor\/bin\/[\w.-]+|bin\/(?:rails|rake|dev|console|setup))$/;
