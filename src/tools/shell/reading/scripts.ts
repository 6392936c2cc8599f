import { type Argument, hasUnknown } from "../simple-command.ts";
import { isDecoding } from "./printing.ts";
import type { Call, Output, ReaderPort } from "./reader-port.ts";

/** Programs that read commands of a shell. */
export const shells: ReadonlySet<string> = new Set(
  "sh bash zsh ksh ksh93 mksh dash ash fish csh tcsh rbash yash posh elvish nu xonsh pwsh oil osh".split(" "),
);

const standardInput: ReadonlySet<string> = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/** What the words of a shell say about where its script comes from. */
interface ShellWords {
  readonly script: Argument | undefined;
  readonly file: Argument | undefined;
  readonly values: readonly Argument[];
  readonly startFile: Argument | undefined;
}

/** A shell reads its script from `-c`, from a file, or from what is piped or redirected into it. */
export function runShell(call: Call, reader: ReaderPort): Output {
  const { script, file, values, startFile } = shellWords(call.args);
  const { command } = call;
  const wrappers = [...call.frame.wrappers, call.name];
  const frame = { ...call.frame, depth: call.frame.depth + 1, wrappers };
  if (startFile !== undefined)
    runFile({ ...call, args: [startFile] }, reader, (text) => reader.readSubshell(text, frame));
  if (script !== undefined) {
    if (hasUnknown(script.text)) reader.markUnknown(command);
    return withPositional(reader, values, () => reader.readSubshell(script.text, frame));
  }
  if (file !== undefined)
    return withPositional(reader, values, () =>
      runFile({ ...call, args: [file] }, reader, (text) => reader.readSubshell(text, frame)),
    );
  const way = command.upstream.some((one) => isDecoding(one.name ?? "", one.args)) ? "decoded" : "piped";
  return runInput(call, reader, (text) => reader.readSubshell(text, { ...frame, wrappers: [...wrappers, way] }));
}

function withPositional(reader: ReaderPort, values: readonly Argument[], run: () => Output): Output {
  const outer = reader.state.positional;
  reader.state.positional = values.map((value) => value.text);
  const output = run();
  reader.state.positional = outer;
  return output;
}

function shellWords(args: readonly Argument[]): ShellWords {
  let takesScript = false;
  let readsInput = false;
  let startFile: Argument | undefined;
  let at = 0;
  for (; at < args.length; at += 1) {
    const text = args[at]?.text ?? "";
    if (text === "--" || text === "-") {
      at += 1;
      break;
    }
    if (/^--(?:rcfile|init-file)$/.test(text)) {
      startFile = args[at + 1];
      at += 1;
    } else if (/^--(?:command|commands)$/.test(text) || /^-Command$/i.test(text)) takesScript = true;
    else if (/^[-+][A-Za-z]+$/.test(text)) {
      if (text.includes("c")) takesScript = true;
      if (text.includes("s")) readsInput = true;
      if (/[oO]$/.test(text)) at += 1;
    } else if (!/^--/.test(text)) break;
  }
  const rest = args.slice(at);
  if (takesScript) return { script: rest[0], file: undefined, values: rest.slice(2), startFile };
  if (readsInput || rest.length === 0) return { script: undefined, file: undefined, values: rest, startFile };
  return { script: undefined, file: rest[0], values: rest.slice(1), startFile };
}

/** Runs a script file: one that this line or session wrote by its text, the input by what is known of it. */
export function runFile(call: Call, reader: ReaderPort, run: (text: string) => Output): Output {
  const [file] = call.args;
  if (file === undefined) return undefined;
  if (standardInput.has(file.text)) return runInput(call, reader, run);
  const text = reader.readFile(file);
  if (text !== undefined) {
    if (hasUnknown(text)) reader.markUnknown(call.command);
    return run(text);
  }
  if (!file.isKnown || file.hasGlob || /^\/(?:dev|proc)\//.test(file.text)) reader.markUnknown(call.command);
  return undefined;
}

/** What is piped or redirected into a shell is its script; without any it talks to a terminal. */
function runInput({ command }: Call, reader: ReaderPort, run: (text: string) => Output): Output {
  const { input } = command;
  if (input === undefined) {
    if (command.upstream.length > 0 || command.reads.length > 0) reader.markUnknown(command);
    return undefined;
  }
  if (hasUnknown(input)) reader.markUnknown(command);
  return run(input);
}
