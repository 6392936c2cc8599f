import path from "node:path";
import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { pipedText, printedText, shells } from "./payloads.ts";
import { type Argument, type CommandLine, literal, type OutputRedirect, type SimpleCommand } from "./simple-command.ts";
import { expandWord } from "./words.ts";
import { unwrap } from "./wrappers.ts";

const maxDepth = 8;
/** How far a pipeline is followed in either direction. */
const maxStages = 32;
/** A line with more commands than this is not read to its end; it is asked about. */
const maxCommands = 2_000;

/** Reads a command line into the commands it would run, without running anything. */
export function readCommandLine(
  text: string,
  place: { readonly cwd: string | undefined; readonly home: string },
): CommandLine {
  const reader = new LineReader(place);
  reader.readScript(text, { depth: 0, wrappers: [] });
  return { commands: reader.commands, forkBombs: reader.forkBombs, problems: reader.problems };
}

interface Frame {
  readonly depth: number;
  readonly wrappers: readonly string[];
}

interface Stage extends Frame {
  readonly upstream: readonly SimpleCommand[];
  readonly downstream: readonly string[];
  readonly isBackground: boolean;
}

class LineReader {
  readonly commands: SimpleCommand[] = [];
  readonly forkBombs: string[] = [];
  readonly problems: string[] = [];
  readonly #variables = new Map<string, string>();
  readonly #home: string;
  #cwd: string | undefined;

  constructor(place: { readonly cwd: string | undefined; readonly home: string }) {
    this.#cwd = place.cwd;
    this.#home = place.home;
  }

  readScript(text: string, frame: Frame): void {
    this.#visitScript(parse(text), frame);
  }

  #visitScript(script: ParsedScript, frame: Frame): void {
    if (frame.depth > maxDepth) {
      this.problems.push("nested too deeply");
      return;
    }
    for (const error of script.errors ?? []) this.problems.push(error.message);
    for (const statement of script.commands) {
      if (this.commands.length > maxCommands) {
        this.problems.push("too many commands to follow");
        return;
      }
      this.#visit(statement.command, {
        ...frame,
        upstream: [],
        downstream: [],
        isBackground: statement.background === true,
      });
    }
  }

  #visit(node: SyntaxNode, stage: Stage): void {
    switch (node.type) {
      case "Command":
        this.#addCommand(node, stage);
        return;
      case "Pipeline": {
        const before: SimpleCommand[] = [...stage.upstream];
        const names = [...node.commands.map((one) => this.#firstName(one)), ...stage.downstream];
        for (const [index, command] of node.commands.entries()) {
          const mark = this.commands.length;
          const downstream = names.slice(index + 1, index + 1 + maxStages);
          this.#visit(command, { ...stage, upstream: before.slice(-maxStages), downstream });
          before.push(...this.commands.slice(mark).filter((one) => !one.wrappers.includes("substitution")));
        }
        return;
      }
      case "Statement":
        this.#visit(node.command, { ...stage, isBackground: node.background === true });
        return;
      case "Function":
        this.#addFunction(node.name.value, node.body, stage);
        return;
      case "Subshell": {
        const outside = this.#cwd;
        forEachChild(node, (child) => this.#visit(child, stage));
        this.#cwd = outside;
        return;
      }
      case "Redirected":
        this.#addRedirects(node.redirects, stage);
        this.#visit(node.command, stage);
        return;
      default:
        this.#visitInside(node, stage);
    }
  }

  /** Everything else is a container: loops, conditions, words with substitutions in them. */
  #visitInside(node: SyntaxNode, stage: Stage): void {
    if (node.type === "Script") {
      this.#visitScript(node, { depth: stage.depth + 1, wrappers: stage.wrappers });
      return;
    }
    forEachChild(node, (child) => this.#visit(child, child.type === "Word" ? this.#substitutionStage(stage) : stage));
  }

  #substitutionStage(stage: Stage): Stage {
    return {
      depth: stage.depth + 1,
      wrappers: [...stage.wrappers, "substitution"],
      upstream: [],
      downstream: [],
      isBackground: false,
    };
  }

  #addFunction(name: string, body: SyntaxNode, stage: Stage): void {
    let own = 0;
    const count = (node: SyntaxNode): void => {
      if (node.type === "Command" && node.name?.value === name) own += 1;
      forEachChild(node, count);
    };
    count(body);
    if (own >= 2) this.forkBombs.push(name);
    this.#visit(body, stage);
  }

  #addRedirects(redirects: readonly Redirection[], stage: Stage): void {
    const { writes, reads } = this.#redirectsOf(redirects);
    if (writes.length === 0 && reads.length === 0) return;
    this.commands.push({ ...this.#blank(stage), name: "", writes, reads });
  }

  #addCommand(node: Command, stage: Stage): void {
    forEachChild(node, (child) => this.#substitutions(child, stage));
    for (const prefix of node.prefix) {
      if (prefix.type === "Assignment" && prefix.value.type === "Word") this.#assign(prefix.name, prefix.value);
    }
    const { writes, reads, input } = this.#redirectsOf(node.redirects);
    const words =
      node.name === undefined ? [] : [node.name, ...node.args.filter((arg): arg is Word => arg.type === "Word")];
    const assigned = node.args.flatMap((arg) => (arg.type === "Assignment" ? [literal(arg.text)] : []));
    const fields = [...words.flatMap((word) => this.#expand(word)), ...assigned];
    const nameFrom = originOf(node.name);
    const substituted = this.#processSubstitutions(node, stage);
    const base = { ...this.#blank(stage), writes, reads, input, nameFrom, substituted };
    this.#addFields(fields, base, stage);
  }

  /** Adds a command and, layer by layer, what it runs. */
  #addFields(fields: readonly Argument[], base: SimpleCommand, stage: Stage): void {
    const [first, ...args] = fields;
    const name = first === undefined ? "" : first.isKnown ? baseName(first.text) : undefined;
    const command: SimpleCommand = { ...base, name, args };
    this.commands.push(command);
    if (name === undefined) return;
    if (name === "cd" || name === "pushd") this.#changeDirectory(args);
    if (["export", "declare", "local", "readonly", "typeset"].includes(name)) this.#assignWords(args);
    const inner = { depth: stage.depth + 1, wrappers: [...stage.wrappers, name] };
    if (name === "eval") {
      this.readScript(args.map((arg) => arg.text).join(" "), inner);
      return;
    }
    if (shells.has(name)) {
      this.#readShellInput(command, inner);
      return;
    }
    if (name === "find") {
      for (const words of execWords(args))
        this.#addFields(words, { ...base, wrappers: [...base.wrappers, "find"] }, { ...stage, ...inner });
      return;
    }
    const unwrapped = unwrap(name, args);
    if (unwrapped === undefined) return;
    if (unwrapped.kind === "script") this.readScript(unwrapped.text.text, inner);
    else this.#addFields(unwrapped.words, { ...base, wrappers: [...base.wrappers, name] }, { ...stage, ...inner });
  }

  /** A shell reads its script from `-c`, from what is piped or redirected into it. */
  #readShellInput(command: SimpleCommand, frame: Frame): void {
    const at = command.args.findIndex((arg) => /^-[a-zA-Z]*c$/.test(arg.text));
    const script = at < 0 ? undefined : command.args[at + 1];
    if (script !== undefined) this.readScript(script.text, frame);
    if (command.input !== undefined) this.readScript(command.input, frame);
    const piped = at < 0 ? pipedText(command.upstream) : undefined;
    if (piped !== undefined) {
      this.readScript(piped.text, { ...frame, wrappers: [...frame.wrappers, piped.wasDecoded ? "decoded" : "piped"] });
    }
  }

  #blank(stage: Stage): SimpleCommand {
    return {
      name: "",
      args: [],
      writes: [],
      reads: [],
      input: undefined,
      nameFrom: "literal",
      cwd: this.#cwd,
      wrappers: stage.wrappers,
      upstream: stage.upstream,
      downstream: stage.downstream,
      isBackground: stage.isBackground,
      substituted: [],
    };
  }

  #redirectsOf(redirects: readonly Redirection[]) {
    const writes: OutputRedirect[] = [];
    const reads: Argument[] = [];
    let input: string | undefined;
    for (const redirect of redirects) {
      if (redirect.type === "HereDoc") input = redirect.body.text;
      else if (redirect.type === "HereString")
        input =
          redirect.target === undefined
            ? ""
            : this.#expand(redirect.target)
                .map((one) => one.text)
                .join(" ");
      else if (redirect.target !== undefined) {
        const [target = literal(redirect.target.value)] = this.#expand(redirect.target);
        if (redirect.operator === "<") reads.push(target);
        else if (redirect.operator !== "<&" && !(redirect.operator === ">&" && /^\d+$|^-$/.test(target.text))) {
          writes.push({ target, isAppend: redirect.operator.includes(">>") });
        }
      }
    }
    return { writes, reads, input };
  }

  #substitutions(node: SyntaxNode, stage: Stage): void {
    if (node.type === "Script")
      this.#visitScript(node, { depth: stage.depth + 1, wrappers: [...stage.wrappers, "substitution"] });
    else if (stage.depth <= maxDepth) forEachChild(node, (child) => this.#substitutions(child, stage));
  }

  #processSubstitutions(node: Command, stage: Stage): readonly SimpleCommand[] {
    const found: SimpleCommand[] = [];
    const look = (child: SyntaxNode): void => {
      if (child.type !== "ProcessSubstitution") {
        forEachChild(child, look);
        return;
      }
      const inner = new LineReader({ cwd: this.#cwd, home: this.#home });
      if (child.script !== undefined) inner.#visitScript(child.script, { depth: stage.depth + 1, wrappers: [] });
      found.push(...inner.commands);
    };
    forEachChild(node, look);
    return found;
  }

  #expand(word: Word): readonly Argument[] {
    return expandWord(word, this.#variables, (part) => {
      const inner = new LineReader({ cwd: this.#cwd, home: this.#home });
      if (part.script === undefined) return undefined;
      inner.#visitScript(part.script, { depth: maxDepth, wrappers: [] });
      const [only, ...more] = inner.commands;
      if (only === undefined || more.length > 0) return pipedText(inner.commands)?.text;
      return only.name === "pwd" ? this.#cwd : printedText(only);
    });
  }

  #assign(name: string, value: Word): void {
    const words = this.#expand(value);
    if (words.every((word) => word.isKnown)) this.#variables.set(name, words.map((word) => word.text).join(" "));
    else this.#variables.delete(name);
  }

  #assignWords(args: readonly Argument[]): void {
    for (const arg of args) {
      const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(arg.text);
      if (match?.[1] !== undefined && arg.isKnown)
        this.#variables.set(match[1], (match[2] ?? "").replace(/^["']|["']$/g, ""));
    }
  }

  #changeDirectory(args: readonly Argument[]): void {
    const target = args.find((arg) => !arg.text.startsWith("-"));
    if (target === undefined) this.#cwd = this.#home;
    else if (!target.isKnown) this.#cwd = undefined;
    else
      this.#cwd =
        this.#cwd === undefined && !/^[/~]/.test(target.text)
          ? undefined
          : absolute(target.text, this.#cwd ?? "/", this.#home);
  }

  #firstName(node: SyntaxNode): string {
    if (node.type === "Command") {
      const fields = [node.name, ...node.args].flatMap((word) => (word?.type === "Word" ? this.#expand(word) : []));
      return innermostName(fields);
    }
    return "";
  }
}

function innermostName(fields: readonly Argument[]): string {
  const [first, ...args] = fields;
  if (first === undefined) return "";
  const name = baseName(first.text);
  const unwrapped = unwrap(name, args);
  return unwrapped?.kind === "command" ? innermostName(unwrapped.words) : name;
}

/** The commands behind `-exec`, `-execdir`, `-ok`. */
function execWords(args: readonly Argument[]): readonly (readonly Argument[])[] {
  const found: (readonly Argument[])[] = [];
  for (const [index, arg] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg.text)) continue;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    found.push(rest.slice(0, end < 0 ? rest.length : end));
  }
  return found;
}

function originOf(word: Word | undefined): SimpleCommand["nameFrom"] {
  const types = (word?.parts ?? []).map((part) => part.type);
  if (types.includes("CommandExpansion")) return "substitution";
  return types.includes("SimpleExpansion") || types.includes("ParameterExpansion") ? "variable" : "literal";
}

function baseName(text: string): string {
  return text.includes("/") ? path.posix.basename(text) : text;
}

/** Absolute and without `.`, `..` and doubled slashes. */
export function absolute(text: string, cwd: string, home: string): string {
  const expanded = text === "~" ? home : text.startsWith("~/") ? `${home}/${text.slice(2)}` : text;
  return path.posix.resolve(cwd, expanded);
}
