import path from "node:path";
import { type Argument, hasUnknown } from "../simple-command.ts";
import { appended } from "./assignments.ts";
import { formatted } from "./printing.ts";
import type { Call, Output, ReaderPort } from "./reader-port.ts";
import { runFile } from "./scripts.ts";
import type { Value } from "./state.ts";

/** Whether the shell itself does what is called, and what that prints. */
export type Builtin = (call: Call, reader: ReaderPort) => Output;

/** Programs whose printed text is meant for `eval`: it sets variables of the shell. */
const environmentPrinters: ReadonlySet<string> = new Set(
  (
    "ssh-agent direnv pyenv rbenv nodenv jenv goenv nvm fnm volta mise rtx asdf brew opam minikube docker-machine " +
    "starship zoxide fzf thefuck conda micromamba mamba luarocks dircolors lesspipe register-python-argcomplete " +
    "podman-machine keychain gpg-agent dbus-launch resize tset perlbrew plenv cs coursier dotenv atuin stack cabal ghcup"
  ).split(" "),
);

/** The builtins that change what the rest of a line means, or that run text. */
export const builtins: Readonly<Record<string, Builtin>> = {
  cd: changeFolder,
  pushd: changeFolder,
  popd: (_, { state }) => {
    state.folders = [undefined];
    return undefined;
  },
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  unset,
  set: setOptions,
  shift: ({ args }, { state }) => {
    const count = args[0] === undefined ? 1 : Number(args[0].text);
    state.positional = Number.isInteger(count) ? state.positional?.slice(count) : undefined;
    return "";
  },
  eval: evaluateText,
  source: sourceFile,
  ".": sourceFile,
  trap,
  alias,
  unalias: ({ args }, { state }) => {
    for (const arg of args) state.setAlias(arg.text, undefined);
    return "";
  },
  read,
  mapfile: readLines,
  readarray: readLines,
  printf: (call, reader) => {
    const { args } = call;
    if (args[0]?.text !== "-v") return formatted(args);
    readSubscripts(call, reader);
    const text = formatted(args.slice(2));
    assignText(reader.state, args[1]?.text ?? "", text === undefined ? undefined : [text]);
    return "";
  },
  let: (call, reader) => {
    readSubscripts(call, reader);
    reader.readScript(call.args.map((arg) => `(( ${arg.text} ))`).join("\n"), call.frame);
    return "";
  },
  getopts: (call, reader) => {
    readSubscripts(call, reader);
    for (const name of [call.args[1]?.text ?? "", "OPTARG"]) assignText(reader.state, name, undefined);
    return "";
  },
  wait: readSubscripts,
  test: readSubscripts,
  "[": readSubscripts,
};

function changeFolder({ args, name }: Call, { state, home, standing }: ReaderPort): Output {
  const target = args.find((arg) => !/^-[LPe@]+$|^--$/.test(arg.text));
  const before = state.folders;
  const arrived =
    target === undefined
      ? [name === "cd" ? home : undefined]
      : target.text === "-" || !target.isKnown || target.hasGlob || /^[-+]\d+$/.test(target.text)
        ? [undefined]
        : before.map((folder) => resolved(target.text, folder));
  state.folders = arrived;
  const isSure = arrived.every((folder) => folder !== undefined && standing.includes(folder));
  state.foldersIfFailed = isSure ? undefined : before;
  return target?.text === "-" ? undefined : "";
}

function resolved(target: string, folder: string | undefined): string | undefined {
  return target.startsWith("/") || folder !== undefined ? path.posix.resolve(folder ?? "/", target) : undefined;
}

/** `declare`, `export` and their kin; written assignments were taken by the reader, expanded ones are taken here. */
function declare(call: Call, reader: ReaderPort): Output {
  const { name, args } = call;
  const { state } = reader;
  readSubscripts(call, reader);
  const flags = args
    .filter((arg) => /^[-+][A-Za-z]+$/.test(arg.text))
    .map((arg) => arg.text)
    .join("");
  for (const arg of args) {
    const match = /^([A-Za-z_]\w*)(\+?)(?:=([\s\S]*))?$/.exec(arg.text);
    const variable = match?.[1];
    if (variable === undefined) continue;
    if (name === "local" || name === "declare" || name === "typeset") state.declareLocal(variable);
    const text = match?.[3];
    // A list in a text is read once more where an array is declared.
    if (text !== undefined && /^\(.*\)$/s.test(text)) reader.readScript(`${variable}=${text}`, inside(call, "eval"));
    if (text !== undefined) state.set(variable, match?.[2] === "+" ? appended(state.get(variable), text) : [text]);
    if (/[niA]/.test(flags))
      state.set(variable, /i/.test(flags) && /^\d+$/.test(text ?? "x") ? [text ?? ""] : undefined);
    if (/[lu]/.test(flags)) {
      state.setCase(variable, flags.includes("l") ? "lower" : "upper");
      state.set(variable, state.get(variable));
    }
  }
  return "";
}

function unset(call: Call, reader: ReaderPort): Output {
  const isFunction = call.args[0]?.text === "-f";
  readSubscripts(call, reader);
  for (const arg of call.args.filter((one) => !one.text.startsWith("-"))) {
    if (isFunction) reader.state.undefine(arg.text);
    else reader.state.set(arg.text, []);
  }
  return "";
}

function setOptions({ args }: Call, { state }: ReaderPort): Output {
  const end = args.findIndex((arg) => arg.text === "--" || !/^[-+]/.test(arg.text));
  const options = args.slice(0, end < 0 ? undefined : end);
  if (options.some((arg) => /^-[a-zA-Z]*e/.test(arg.text))) state.stopsOnFailure = true;
  if (end < 0) return args.length === 0 ? undefined : "";
  const isOptionValue = /o$/.test(options.at(-1)?.text ?? "") && args[end]?.text !== "--";
  if (isOptionValue) return "";
  const rest = args.slice(args[end]?.text === "--" ? end + 1 : end);
  state.positional = rest.some((arg) => arg.mayBeMany || arg.hasGlob) ? undefined : rest.map((arg) => arg.text);
  return "";
}

function evaluateText(call: Call, reader: ReaderPort): Output {
  const words = call.args.filter((arg, index) => !(index === 0 && arg.text === "--"));
  const unknown = words.filter((arg) => !arg.isKnown || arg.hasGlob);
  const isEnvironment = (arg: Argument): boolean =>
    arg.sources.length > 0 && arg.sources.every((source) => environmentPrinters.has(source));
  if (words.length === 1 && words[0] !== undefined && isEnvironment(words[0])) return "";
  if (unknown.length > 0) reader.markUnknown(call.command);
  return reader.readScript(words.map((arg) => arg.text).join(" "), inside(call, "eval"));
}

/** Start files and scripts that set up a shell: sourcing them is what they are for. */
const setupFiles =
  /(?:^|\/)(?:activate(?:\.fish|\.csh)?|nvm\.sh|sdkman-init\.sh|asdf\.sh|asdf\.fish|setup\.(?:ba)?sh|\.cargo\/env|\.ghcup\/env|\.bashrc|\.profile|\.bash_profile|\.zshrc|\.zprofile|bash_completion|conda\.sh|env(?:setup)?\.sh|emsdk_env\.sh|export\.sh|setvars\.sh|profile|git-completion\.bash)$/;

function sourceFile(call: Call, reader: ReaderPort): Output {
  const [file, ...values] = call.args.filter((arg, index) => !(index === 0 && arg.text === "--"));
  if (file === undefined) return "";
  if (file.isKnown && setupFiles.test(file.text) && reader.readFile(file) === undefined) return undefined;
  const outer = reader.state.positional;
  if (values.length > 0) reader.state.positional = values.map((arg) => arg.text);
  const output = runFile({ ...call, args: [file] }, reader, (text) => reader.readScript(text, inside(call, "source")));
  reader.state.positional = outer;
  return output;
}

function trap(call: Call, reader: ReaderPort): Output {
  const [script] = call.args.filter((arg) => arg.text !== "--");
  if (script === undefined || /^-[lp]?$|^\d*$/.test(script.text)) return "";
  runText(script, call, reader);
  return "";
}

function alias(call: Call, reader: ReaderPort): Output {
  for (const arg of call.args) {
    const at = arg.text.indexOf("=");
    if (at <= 0) continue;
    const body = arg.text.slice(at + 1);
    const name = arg.text.slice(0, at);
    const isOwnName = body === name || body.startsWith(`${name} `);
    if (!isOwnName && !hasUnknown(body)) reader.state.setAlias(name, body);
    runText({ ...arg, text: body }, call, reader);
  }
  return "";
}

/** A text that will be run as commands. */
function runText(script: Argument, call: Call, reader: ReaderPort): void {
  if (hasUnknown(script.text)) reader.markUnknown(call.command);
  reader.readScript(script.text, inside(call, call.name));
}

function read(call: Call, reader: ReaderPort): Output {
  const { args, command } = call;
  const { state } = reader;
  readSubscripts(call, reader);
  const names: string[] = [];
  let array: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.text ?? "";
    if (/^-[A-Za-z]*a$/.test(text)) array = args[at + 1]?.text;
    if (/^-[A-Za-z]*[adinNptu]$/.test(text)) at += 1;
    else if (!text.startsWith("-")) names.push(text);
  }
  // Without -r a backslash takes away itself, and the end of a line.
  const isRaw = args.some((arg) => /^-[A-Za-z]*r/.test(arg.text));
  const lines = !isRaw && command.input?.includes("\\") === true ? undefined : linesOf(command.input);
  const words = lines?.map((line) => line.trim().split(/[ \t]+/));
  const rests = lines?.map((line) => (from: number) => afterFields(line, from));
  if (array !== undefined) assignText(state, array, words);
  else if (names.length === 0) assignText(state, "REPLY", lines);
  names.forEach((name, index) => {
    const isLast = index === names.length - 1;
    assignText(state, name, isLast ? rests?.map((rest) => rest(index)) : words?.map((fields) => fields[index] ?? ""));
  });
  return "";
}

/** What is left of a line behind so many fields: blanks inside stay as they are. */
function afterFields(line: string, count: number): string {
  let rest = line.replace(/^[ \t\n]+/, "");
  for (let at = 0; at < count; at += 1) rest = rest.replace(/^[^ \t\n]+[ \t\n]*/, "");
  return rest.replace(/[ \t\n]+$/, "");
}

function readLines(call: Call, reader: ReaderPort): Output {
  const { args, command } = call;
  const { state } = reader;
  readSubscripts(call, reader);
  const name = args
    .filter((arg, at) => !arg.text.startsWith("-") && !/^-[dnOsuCc]$/.test(args[at - 1]?.text ?? ""))
    .at(-1);
  const lines = linesOf(command.input);
  assignText(state, name?.text ?? "MAPFILE", lines === undefined ? undefined : [lines]);
  return "";
}

/** The lines of what stands on standard input; undefined when that is not known. */
function linesOf(input: string | undefined): readonly string[] | undefined {
  return input === undefined || hasUnknown(input) ? undefined : input.replace(/\n$/, "").split("\n");
}

function assignText(state: ReaderPort["state"], name: string, values: readonly Value[] | undefined): void {
  if (/^[A-Za-z_]\w*$/.test(name)) state.set(name, values);
}

/** `test -v 'a[$(id)]'` runs what stands in the brackets. */
function readSubscripts({ args, frame }: Call, reader: ReaderPort): Output {
  for (const arg of args) if (/\[.*(?:\$\(|`)/s.test(arg.text)) reader.readNested(arg.text, frame);
  return "";
}

function inside(call: Call, name: string): Call["frame"] {
  return { ...call.frame, depth: call.frame.depth + 1, wrappers: [...call.frame.wrappers, name] };
}
