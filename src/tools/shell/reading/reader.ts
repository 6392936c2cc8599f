import {
  type Assignment as AssignmentNode,
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import { hasDeceivingCharacters } from "../deceiving-characters.ts";
import { codeUse } from "../programs/interpreters.ts";
import {
  type Argument,
  type CommandLine,
  type LineTrait,
  type SimpleCommand,
  unknownArgument,
  unknownNumber,
  unknownText,
  withText,
} from "../simple-command.ts";
import { aliasLines } from "./aliases.ts";
import { readAssignment } from "./assignments.ts";
import { builtins } from "./builtins.ts";
import type { ExpandHost } from "./expand-host.ts";
import { FunctionTable } from "./function-table.ts";
import { loopTraits, startsMany } from "./loops.ts";
import { globbedName, isAllUnknown, leaves, normalPath, originOf } from "./node-facts.ts";
import type { Frame, Output, ReaderPort } from "./reader-port.ts";
import { type Redirects, redirectsOf } from "./redirects.ts";
import { runProgram } from "./run-program.ts";
import { type Environment, ShellState } from "./state.ts";
import { expandText, expandWord, numberText } from "./words.ts";

/** What is known before a line is read. */
export interface ReadOptions {
  readonly cwd: string | undefined;
  readonly home: string;
  readonly environment: Environment;
  readonly tempDir: string;
  /** Folders that are sure to be there. */
  readonly standing: readonly string[];
  /** The text of a file by its absolute path, where this session wrote it. */
  readWritten?(path: string): string | undefined;
}

const maxDepth = 12;
/** Beyond this many commands a line is not followed; it is asked about. */
const maxSteps = 1_500;
const maxUpstream = 32;
/** A loop over more words than this is read once, with a variable of which little is known. */
const maxRounds = 8;
const maxCombinations = 24;

/**
 * Reads a script into the commands it would run, without running anything. All branches are followed, so what it finds
 * is never less than what a shell would run; where it cannot follow, it says so.
 */
export class LineReader implements ReaderPort {
  readonly #commands: SimpleCommand[] = [];
  readonly #problems: string[] = [];
  readonly #traits = new Set<LineTrait>();
  readonly #unknownScripts = new Set<SimpleCommand>();
  /** What process substitutions print, by the path they stand for. */
  readonly #pipes = new Map<string, string>();
  readonly #functions = new FunctionTable();
  readonly #options: ReadOptions;
  #substituted: SimpleCommand[] = [];
  #steps = 0;
  #frame: Frame = { depth: 0, wrappers: [], input: undefined, upstream: [], isBackground: false };
  state: ShellState;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.state = new ShellState(options.environment, options.cwd);
  }

  get home(): string {
    return this.#options.home;
  }

  get tempDir(): string {
    return this.#options.tempDir;
  }

  get standing(): readonly string[] {
    return this.#options.standing;
  }

  /** Reads a whole line, functions that it only defines included: a later call may use them. */
  readLine(text: string): CommandLine {
    this.readScript(text, this.#frame);
    for (const body of this.#functions.uncalled()) {
      this.state.positional = undefined;
      this.#visit(body, this.#frame);
    }
    return {
      commands: this.#commands,
      forkBombs: [...this.#functions.forkBombs],
      traits: this.#traits,
      problems: this.#problems,
      unknownScripts: this.#unknownScripts,
    };
  }

  readScript(text: string, frame: Frame): Output {
    if (frame.depth > maxDepth) {
      this.#problems.push("nested too deeply");
      return undefined;
    }
    if (isAllUnknown(text)) return undefined;
    const script = parse(text);
    if (hasDeceivingCharacters(text, script)) this.#traits.add("deceiving-characters");
    return this.#visitScript(script, frame);
  }

  readSubshell(text: string, frame: Frame): Output {
    return this.#apart(() => this.readScript(text, frame));
  }

  readNested(text: string, frame = this.#frame): void {
    if (frame.depth > maxDepth) return;
    this.#apart(() => this.readScript(`: "${text.replaceAll('"', '\\"')}"`, { ...frame, depth: frame.depth + 1 }));
  }

  markUnknown(command: SimpleCommand): void {
    this.#unknownScripts.add(command);
  }

  readFile(argument: Argument): string | undefined {
    const piped = this.#pipes.get(argument.text);
    if (piped !== undefined) return piped;
    if (!argument.isKnown || argument.hasGlob) return undefined;
    const path = this.#absolute(argument.text);
    return path === undefined ? undefined : (this.state.files.get(path) ?? this.#options.readWritten?.(path));
  }

  runWords(words: readonly Argument[], base: SimpleCommand, frame: Frame): Output {
    const [first, ...args] = words;
    this.#steps += 1;
    if (this.#steps > maxSteps) {
      if (this.#steps === maxSteps + 1) this.#problems.push("too many commands to follow");
      return undefined;
    }
    if (first === undefined) return "";
    if (!first.isKnown || first.hasGlob) {
      this.#push({ ...base, name: undefined, path: first.text, sources: first.sources, args });
      return undefined;
    }
    const name = first.text.includes("/") ? (first.text.split("/").at(-1) ?? "") : first.text;
    const body = this.state.functionNamed(first.text);
    if (body !== undefined) return this.#callFunction({ name, body, args }, frame);
    const called = { ...base, name, path: first.text, args };
    const command = this.#push({ ...called, scriptText: this.#scriptText(first, called) });
    const call = { command, name, args, frame };
    const builtin = Object.hasOwn(builtins, first.text) ? builtins[first.text] : undefined;
    return builtin === undefined ? runProgram(call, this) : builtin(call, this);
  }

  /** A script that is called by its path, or given to an interpreter. */
  #scriptText(program: Argument, called: SimpleCommand): string | undefined {
    if (program.text.includes("/")) return this.readFile(program);
    const file = codeUse(called)?.file;
    return file === undefined ? undefined : this.readFile(file);
  }

  #visitScript(script: ParsedScript, frame: Frame): Output {
    for (const error of script.errors ?? []) this.#problems.push(error.message);
    return this.#visitAll(script.commands, frame);
  }

  #visitAll(nodes: readonly SyntaxNode[], frame: Frame): Output {
    const outputs = nodes.map((node) => this.#visit(node, frame));
    return outputs.some((output) => output === undefined) ? undefined : outputs.join("");
  }

  #visit(node: SyntaxNode, frame: Frame): Output {
    if (this.#steps > maxSteps) return undefined;
    switch (node.type) {
      case "Statement":
        if (node.background !== true) return this.#visit(node.command, { ...frame, isBackground: false });
        return this.#apart(() => this.#visit(node.command, { ...frame, isBackground: true }));
      case "CompoundList":
        return this.#visitAll(node.commands, frame);
      case "Command":
        return this.#command(node, frame);
      case "AndOr":
        return this.#andOr(node, frame);
      case "Pipeline":
        return this.#pipeline(node, frame);
      case "Redirected":
        return this.#redirected(node, frame);
      case "Subshell":
        return this.#apart(() => this.#visit(node.body, frame));
      case "BraceGroup":
        return this.#visit(node.body, frame);
      case "Function":
        this.state.define(node.name.value, node.body);
        this.#functions.define(node.name.value, node.body);
        return "";
      case "If":
        return this.#if(node, frame);
      case "While":
      case "ArithmeticFor":
        return this.#loop(node, frame);
      case "For":
      case "Select":
        return this.#forEach(node, frame);
      case "Case":
        return this.#case(node, frame);
      case "Coproc":
        return this.#apart(() => this.#visit(node.body, { ...frame, input: unknownText, isBackground: true }));
      case "ArithmeticCommand":
        numberText(node.expression, this.#host(frame));
        if (node.expression === undefined) this.readNested(node.body, frame);
        return "";
      case "TestCommand":
        this.#testWords(node.expression, frame);
        return "";
      default:
        return "";
    }
  }

  #andOr(node: Extract<SyntaxNode, { type: "AndOr" }>, frame: Frame): Output {
    const [first, ...rest] = node.commands;
    if (first === undefined) return "";
    const outputs = [this.#visit(first, frame)];
    rest.forEach((command, index) => {
      const failed = this.state.foldersIfFailed;
      this.state.foldersIfFailed = undefined;
      const skipped = this.state.fork();
      const isOr = node.operators[index] === "||";
      if (failed !== undefined) {
        this.state.folders = isOr ? failed : this.state.folders;
        skipped.folders = isOr ? skipped.folders : [...new Set([...skipped.folders, ...failed])];
      }
      outputs.push(this.#visit(command, frame));
      if (isOr && leaves(command)) this.state.become(skipped);
      else this.state.join(skipped);
    });
    return outputs.some((output) => output === undefined) ||
      (node.operators.length > 0 && outputs.slice(1).some((one) => one !== ""))
      ? undefined
      : outputs.join("");
  }

  #pipeline(node: Extract<SyntaxNode, { type: "Pipeline" }>, frame: Frame): Output {
    const [only, ...more] = node.commands;
    if (only !== undefined && more.length === 0) return this.#visit(only, frame);
    let upstream = frame.upstream;
    let input = frame.input;
    let output: Output = "";
    node.commands.forEach((command) => {
      const mark = this.#commands.length;
      const stage = { ...frame, upstream, input };
      output = this.#apart(() => this.#visit(command, stage));
      const own = this.#commands
        .slice(mark)
        .filter((one) => !one.wrappers.slice(frame.wrappers.length).includes("substitution"));
      upstream = [...upstream, ...own].slice(-maxUpstream);
      input = output ?? unknownText;
    });
    return output;
  }

  #redirected(node: Extract<SyntaxNode, { type: "Redirected" }>, frame: Frame): Output {
    const redirects = redirectsOf(node.redirects, this.#host(frame), this);
    if (redirects.writes.length > 0 || redirects.reads.length > 0)
      this.#push({ ...this.#blank(frame), writes: redirects.writes, reads: redirects.reads });
    const output = this.#visit(node.command, { ...frame, input: redirects.input ?? frame.input });
    return this.#kept(output, redirects);
  }

  /** What is written into a file is remembered as its text; it is not printed any more. */
  #kept(output: Output, redirects: Redirects): Output {
    if (redirects.outputTo === undefined) return output;
    const { target, isAppend } = redirects.outputTo;
    const path = target.isKnown ? this.#absolute(target.text) : undefined;
    if (path !== undefined && !path.startsWith("/dev/")) {
      const before = isAppend ? (this.state.files.get(path) ?? unknownText) : "";
      this.state.files.set(path, before + (output ?? unknownText));
    }
    return "";
  }

  #if(node: Extract<SyntaxNode, { type: "If" }>, frame: Frame): Output {
    const ends: ShellState[] = [];
    this.#visit(node.clause, frame);
    let before = this.state.fork();
    this.#visit(node.then, frame);
    ends.push(this.state.fork());
    for (const elif of node.elif) {
      this.state.become(before);
      this.#visit(elif.clause, frame);
      before = this.state.fork();
      this.#visit(elif.then, frame);
      ends.push(this.state.fork());
    }
    this.state.become(before);
    if (node.else !== undefined) this.#visit(node.else, frame);
    for (const end of ends) this.state.join(end);
    return undefined;
  }

  #loop(node: Extract<SyntaxNode, { type: "While" | "ArithmeticFor" }>, frame: Frame): Output {
    for (const trait of loopTraits(node)) this.#traits.add(trait);
    const host = this.#host(frame);
    const head = (): void => {
      if (node.type === "While") this.#visit(node.clause, frame);
      else for (const part of [node.test, node.update]) if (part !== undefined) numberText(part, host);
    };
    if (node.type === "ArithmeticFor" && node.initialize !== undefined) numberText(node.initialize, host);
    // Until nothing new is learned: a later round may see what an earlier one set.
    for (let round = 0; round < 3; round += 1) {
      const before = this.state.fork();
      head();
      this.#visit(node.body, frame);
      this.state.join(before);
      if (this.state.isLike(before)) break;
    }
    return undefined;
  }

  #forEach(node: Extract<SyntaxNode, { type: "For" | "Select" }>, frame: Frame): Output {
    const host = this.#host(frame);
    const name = node.name.value;
    const words = this.#listWords(node.wordlist, host);
    if (node.type === "For" && startsMany(node, words)) this.#traits.add("spawning-loop");
    if (words === undefined || words.length > maxRounds) {
      const areNumbers = words?.every((word) => /^-?\d+$/.test(word)) ?? false;
      const before = this.state.fork();
      this.state.set(name, words === undefined ? undefined : [areNumbers ? unknownNumber : unknownText]);
      this.#visit(node.body, frame);
      this.state.join(before);
      return undefined;
    }
    const outputs: Output[] = [];
    for (const word of words) {
      this.state.set(name, [word]);
      outputs.push(this.#visit(node.body, frame));
    }
    return outputs.some((output) => output === undefined) ? undefined : outputs.join("");
  }

  /** The words a loop runs over; undefined when they are not known. Of a name found by a glob a piece is known. */
  #listWords(list: readonly Word[] | undefined, host: ExpandHost): readonly string[] | undefined {
    if (list === undefined) return this.state.positional;
    const ways = list.map((word) => expandWord(word, host));
    const fields = ways.flatMap((one) => one[0] ?? []);
    if (ways.some((one) => one.length !== 1) || fields.some((field) => field.mayBeMany)) return undefined;
    return fields.map((field) => (field.hasGlob ? globbedName(field.text) : field.text));
  }

  #case(node: Extract<SyntaxNode, { type: "Case" }>, frame: Frame): Output {
    const host = this.#host(frame);
    expandText(node.word, host);
    const before = this.state.fork();
    const ends: ShellState[] = [];
    for (const item of node.items) {
      for (const pattern of item.pattern) expandText(pattern, host);
      this.#visit(item.body, frame);
      ends.push(this.state.fork());
      if (item.terminator === ";;" || item.terminator === undefined) this.state.become(before);
    }
    for (const end of ends) this.state.join(end);
    return undefined;
  }

  #callFunction(
    { name, body, args }: { readonly name: string; readonly body: SyntaxNode; readonly args: readonly Argument[] },
    frame: Frame,
  ): Output {
    if (!this.#functions.enter(name, body)) {
      const isSpawned = frame.isBackground || frame.upstream.length > 0;
      if (isSpawned && this.#functions.noteSpawn(name) === "chain") this.#traits.add("spawning-loop");
      return undefined;
    }
    const { positional, locals } = this.state;
    this.state.positional = args.some((arg) => arg.mayBeMany || arg.hasGlob) ? undefined : args.map((arg) => arg.text);
    this.state.locals = new Map();
    const output = this.#visit(body, { ...frame, isBackground: false });
    for (const [variable, before] of this.state.locals) this.state.set(variable, before);
    this.#functions.leave();
    this.state.positional = positional;
    this.state.locals = locals;
    return output;
  }

  #testWords(node: SyntaxNode, frame: Frame): void {
    if (node.type === "Word") {
      for (const { text } of expandText(node, this.#host(frame))) if (/\$\(|`/.test(text)) this.readNested(text, frame);
      return;
    }
    forEachChild(node, (child) => this.#testWords(child, frame));
  }

  #command(node: Command, frame: Frame): Output {
    const outerSubstituted = this.#substituted;
    this.#substituted = [];
    const host = this.#host(frame);
    this.state.settleFolders();
    const ways = this.#wordWays(node, host);
    const assigns = node.prefix.flatMap((one) => (one.type === "Assignment" ? readAssignment(one, host) : []));
    const redirects = redirectsOf(node.redirects, host, this);
    const base: SimpleCommand = {
      ...this.#blank(frame),
      writes: redirects.writes,
      reads: redirects.reads,
      input: redirects.input ?? frame.input,
      hasHereText: redirects.hasHereText,
      nameFrom: originOf(node.name),
      assigns,
      substituted: this.#substituted,
    };
    this.#substituted = outerSubstituted;
    const inner = { ...frame, input: base.input };
    const output = this.#inAllWays(ways, (words) => {
      if (words.length > 0) return this.#runOrAlias(node, words, { base, frame: inner });
      for (const { name, value } of assigns) this.#assign(name, value);
      if (assigns.length > 0 || base.writes.length > 0 || base.reads.length > 0) this.#push(base);
      return redirects.readText ?? "";
    });
    return this.#kept(output, redirects);
  }

  /** Variables written before a command hold for it alone. */
  #run(words: readonly Argument[], base: SimpleCommand, frame: Frame): Output {
    if (base.assigns.length === 0) return this.runWords(words, base, frame);
    const before = new Map(base.assigns.map(({ name }) => [name, this.state.get(name)] as const));
    const wasSet = new Set(base.assigns.filter(({ name }) => this.state.isSetHere(name)).map(({ name }) => name));
    for (const { name, value } of base.assigns) this.#assign(name, value);
    const output = this.runWords(words, base, frame);
    for (const [name, values] of before)
      if (wasSet.has(name) || values !== undefined) this.state.set(name, values);
      else this.state.forget(name);
    return output;
  }

  /** An alias holds for lines read after it was set; whether this one was is not known, so both are followed. */
  #runOrAlias(
    node: Command,
    words: readonly Argument[],
    { base, frame }: { readonly base: SimpleCommand; readonly frame: Frame },
  ): Output {
    const written = node.name?.parts === undefined ? node.name?.text : undefined;
    const bodies = written === undefined ? [] : this.state.aliasNamed(written);
    if (bodies.length === 0 || frame.depth > maxDepth) return this.#run(words, base, frame);
    const before = this.state.fork();
    this.#run(words, { ...base, wrappers: [...base.wrappers, "alias"] }, frame);
    const plain = this.state.fork();
    this.state.become(before);
    for (const line of bodies.flatMap((body) => aliasLines(body, words.slice(1), this.state))) {
      const outer = this.state.fork();
      this.readScript(line, { ...frame, depth: frame.depth + 1 });
      this.state.join(outer);
    }
    this.state.join(plain);
    return undefined;
  }

  /** Every combination of what the words may turn out to be; too many make an unknown command. */
  #wordWays(node: Command, host: ExpandHost): readonly (readonly Argument[])[] {
    const isDeclaring = /^(?:export|declare|local|readonly|typeset)$/.test(node.name?.value ?? "");
    let ways: Argument[][] = [[]];
    for (const word of [node.name, ...node.args]) {
      if (word === undefined) continue;
      const next = word.type === "Word" ? expandWord(word, host) : [[this.#declared(word, host)]];
      const [only = []] = next;
      if (next.length === 1) for (const way of ways) way.push(...only);
      else if (ways.length * next.length > maxCombinations) ways = [[...(ways[0] ?? []), unknownArgument("too many")]];
      else ways = ways.flatMap((before) => next.map((after) => [...before, ...after]));
    }
    return isDeclaring ? ways.slice(0, 1) : ways;
  }

  #declared(node: AssignmentNode, host: ExpandHost): Argument {
    const assigned = readAssignment(node, host);
    for (const { name, value } of assigned) {
      this.state.declareLocal(name);
      this.#assign(name, value);
    }
    const value = assigned[0]?.value ?? unknownArgument();
    return withText(value, `${node.name}=${value.text}`);
  }

  #assign(name: string, value: Argument): void {
    this.state.set(name, value.text === unknownText ? undefined : [value.text]);
    const isPrompt = name === "PROMPT_COMMAND" || /^PS[0-4]$/.test(name);
    if (name === "PROMPT_COMMAND") this.readSubshell(value.text, { ...this.#frame, wrappers: ["PROMPT_COMMAND"] });
    else if (isPrompt) this.readNested(value.text);
  }

  #inAllWays(ways: readonly (readonly Argument[])[], run: (words: readonly Argument[]) => Output): Output {
    const [only, ...more] = ways;
    if (only !== undefined && more.length === 0) return run(only);
    const before = this.state.fork();
    const ends: ShellState[] = [];
    for (const words of ways) {
      this.state.become(before);
      run(words);
      ends.push(this.state.fork());
    }
    for (const end of ends.slice(0, -1)) this.state.join(end);
    return undefined;
  }

  /** Reads in a shell of its own: what is set there is not seen outside. */
  #apart(read: () => Output): Output {
    const outside = this.state;
    this.state = outside.fork();
    const output = read();
    for (const [path, text] of this.state.files) outside.files.set(path, text);
    this.state = outside;
    return output;
  }

  #host(frame: Frame): ExpandHost {
    const reader = this;
    const inner: Frame = {
      ...frame,
      depth: frame.depth + 1,
      wrappers: [...frame.wrappers, "substitution"],
      upstream: [],
      isBackground: false,
    };
    return {
      get state() {
        return reader.state;
      },
      home: reader.home,
      substitute(script) {
        const mark = reader.#commands.length;
        if (script === undefined || frame.depth > maxDepth) {
          reader.#problems.push("nested too deeply");
          return { text: unknownText, sources: [] };
        }
        const output = reader.#apart(() => reader.#visitScript(script, inner));
        const names = reader.#commands.slice(mark).map((one) => one.name ?? unknownText);
        return { text: output?.replace(/\n+$/, "") ?? unknownText, sources: [...new Set(names)] };
      },
      processSubstitution: (part) => reader.#pipe(part, inner),
      readNested: (text) => reader.readNested(text, inner),
    };
  }

  #pipe(part: Extract<WordPart, { type: "ProcessSubstitution" }>, frame: Frame): string {
    const mark = this.#commands.length;
    const path = `/dev/fd/${63 - this.#pipes.size}`;
    const { script } = part;
    const input = part.operator === ">" ? unknownText : frame.input;
    const output = script === undefined ? undefined : this.#apart(() => this.#visitScript(script, { ...frame, input }));
    this.#pipes.set(path, output ?? unknownText);
    this.#substituted.push(...this.#commands.slice(mark));
    return path;
  }

  #push(command: SimpleCommand): SimpleCommand {
    const folders = this.state.folders.length === 0 ? [undefined] : this.state.folders;
    const placed = folders.map((cwd) => ({ ...command, cwd }));
    this.#commands.push(...placed);
    return placed[0] ?? command;
  }

  #blank(frame: Frame): SimpleCommand {
    return {
      name: "",
      path: "",
      args: [],
      writes: [],
      reads: [],
      input: frame.input,
      hasHereText: false,
      nameFrom: "literal",
      sources: [],
      scriptText: undefined,
      assigns: [],
      cwd: undefined,
      wrappers: frame.wrappers,
      upstream: frame.upstream,
      isBackground: frame.isBackground,
      substituted: [],
    };
  }

  #absolute(text: string): string | undefined {
    const [folder] = this.state.folders;
    if (text.startsWith("/")) return normalPath(text);
    return folder === undefined ? undefined : normalPath(`${folder}/${text}`);
  }
}
