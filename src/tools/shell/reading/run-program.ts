import { addedWords, addsArguments, type Carried, carriedBy, filled } from "../programs/carriers.ts";
import { type Argument, hasUnknown, literal, unknownText } from "../simple-command.ts";
import { printed } from "./printing.ts";
import type { Call, Frame, Output, ReaderPort } from "./reader-port.ts";
import { runShell, shells } from "./scripts.ts";

/** Follows a program into what it runs in turn, and says what it prints where that is plain. */
export function runProgram(call: Call, reader: ReaderPort): Output {
  const { name, args } = call;
  if (shells.has(name)) return runShell(call, reader);
  if (isShellScript(call)) return runOwnScript(call, reader);
  const carried = carriedBy(name, args);
  if (carried.length > 0) {
    for (const one of carried) runCarried(one, call, reader);
    return carriedOutput(call, reader);
  }
  if (addsArguments(name)) return undefined;
  const output = printed({
    name,
    args,
    input: call.command.input,
    cwd: call.command.cwd,
    tempDir: reader.tempDir,
    readFile: (argument) => reader.readFile(argument),
  });
  noteCopies(call, reader);
  noteDownloads(call, reader);
  return output;
}

/** A script called by its path is run by the shell, unless its first line names another program. */
function isShellScript({ command }: Call): boolean {
  const { scriptText, path } = command;
  if (scriptText === undefined || !path.includes("/")) return false;
  return !scriptText.startsWith("#!") || /^#!.*\b(?:ba|z|da|k|a)?sh\b/.test(scriptText);
}

function runOwnScript({ command, args, frame, name }: Call, reader: ReaderPort): Output {
  const outer = reader.state.positional;
  reader.state.positional = args.map((arg) => arg.text);
  const output = reader.readSubshell(command.scriptText ?? "", {
    ...frame,
    depth: frame.depth + 1,
    wrappers: [...frame.wrappers, name],
  });
  reader.state.positional = outer;
  return output;
}

function runCarried(carried: Carried, call: Call, reader: ReaderPort): void {
  const { name, command } = call;
  const frame: Frame = { ...call.frame, depth: call.frame.depth + 1, wrappers: [...call.frame.wrappers, name] };
  if (carried.kind === "script") {
    const text = addsArguments(name) ? `${withoutArguments(carried.text.text)} ${unknownText}` : carried.text.text;
    if (hasUnknown(carried.text.text) && !addsArguments(name)) reader.markUnknown(command);
    reader.readSubshell(text, frame);
    return;
  }
  const words = addsArguments(name) ? withAdded(carried.words, call) : carried.words;
  reader.runWords(words, { ...command, wrappers: frame.wrappers, writes: [], reads: [], assigns: [] }, frame);
}

/** What comes out of `nice echo x` is what `echo x` prints; it was read already, so only plain words are asked. */
function carriedOutput({ name, args, command }: Call, reader: ReaderPort): Output {
  // The shell's own `printf` is gone once it has become another program.
  if (name === "exec") return undefined;
  const [only, ...more] = carriedBy(name, args);
  if (only?.kind !== "command" || more.length > 0 || addsArguments(name)) return undefined;
  const [program, ...rest] = only.words;
  if (
    program === undefined ||
    !program.isKnown ||
    !/^(?:echo|printf|cat|rev|base64|xxd|base32|tee)$/.test(program.text)
  )
    return undefined;
  return printed({
    name: program.text,
    args: rest,
    input: command.input,
    cwd: command.cwd,
    tempDir: reader.tempDir,
    readFile: (one) => reader.readFile(one),
  });
}

function withAdded(words: readonly Argument[], { args, command }: Call): readonly Argument[] {
  const added = addedWords(command.input === undefined || hasUnknown(command.input) ? undefined : command.input);
  const slot = slotOf(args);
  if (slot === undefined) return [...words, ...added];
  const [only, ...more] = added;
  const value = more.length === 0 && only !== undefined ? only.text : unknownText;
  return words.map((word) => filled(word, slot, value));
}

function slotOf(args: readonly Argument[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    if (/^(?:-I|--replace)$/.test(arg.text)) return args[index + 1]?.text ?? "{}";
    if (/^-I./.test(arg.text)) return arg.text.slice(2);
    if (/^-i$|^--replace=/.test(arg.text)) return arg.text.split("=")[1] ?? "{}";
    if (!arg.text.startsWith("-")) break;
  }
  return undefined;
}

/** `parallel cmd ::: a b`: the command without what it is run over. */
function withoutArguments(text: string): string {
  return text.replace(/ :::[\s\S]*$/, "");
}

/** A copy of a file that this line wrote has the same text. */
function noteCopies({ name, args, command }: Call, reader: ReaderPort): void {
  if (!/^(?:cp|mv|ln|install|tee)$/.test(name)) return;
  const operands = args.filter((arg) => !arg.text.startsWith("-"));
  const [from, to] = operands;
  const path = (to ?? literal("")).text.replace(/^(?:\.\/)+/, "");
  const absolute = path.startsWith("/") ? path : command.cwd === undefined ? undefined : `${command.cwd}/${path}`;
  if (name === "tee") {
    for (const target of operands) {
      const file = target.text.startsWith("/") ? target.text : `${command.cwd ?? ""}/${target.text}`;
      reader.state.files.set(file, command.input ?? unknownText);
    }
    return;
  }
  const text = from === undefined ? undefined : (reader.readFile(from) ?? programText(from));
  if (text !== undefined && absolute !== undefined) reader.state.files.set(absolute, text);
}

/** A program under another name does what it always does. */
function programText(from: Argument): string | undefined {
  if (/^(?:\/usr)?(?:\/local)?\/s?bin\/[\w.+-]+$/.test(from.text)) return `exec ${from.text} "$@"`;
  return from.sources.some((one) => one === "which" || one === "command" || one === "type") ? unknownText : undefined;
}

/** What comes from another machine has a text that nobody here knows. */
function noteDownloads({ name, args, command }: Call, reader: ReaderPort): void {
  if (name !== "wget" && name !== "curl" && name !== "aria2c") return;
  const texts = args.map((arg) => arg.text);
  const named = texts.flatMap((text, at) => {
    if (/^(?:-[a-zA-Z]*o|--output|--out)$/.test(text) && name !== "wget") return [texts[at + 1] ?? ""];
    if (/^(?:-[a-zA-Z]*O|--output-document)$/.test(text) && name === "wget") return [texts[at + 1] ?? ""];
    return /^(?:-o|-O|--output=|--output-document=)(.+)$/.exec(text)?.slice(1, 2) ?? [];
  });
  const isByAddress = name !== "curl" || texts.some((text) => /^-[a-zA-Z]*O|^--remote-name/.test(text));
  const addresses = texts.filter((text) => !text.startsWith("-") && text.includes("/"));
  const files =
    named.length > 0 || !isByAddress ? named : addresses.map((text) => text.split(/[?#]/)[0]?.split("/").at(-1) ?? "");
  for (const file of files) {
    if (file === "" || file === "-" || (!file.startsWith("/") && command.cwd === undefined)) continue;
    reader.state.files.set(file.startsWith("/") ? file : `${command.cwd}/${file.replace(/^\.\//, "")}`, unknownText);
  }
}
