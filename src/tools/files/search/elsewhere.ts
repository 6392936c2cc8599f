import path from "node:path";
import { parseJson } from "#foundation/text/json";
import { ToolFailure } from "../../contract/result.ts";
import type { Terminal } from "../../contract/terminal.ts";
import { quote } from "../../terminals/shell/shell-script.ts";
import { BadPatternError, type ContentQuery, type FilesQuery, type LineMatch, type SearchEngine } from "./engine.ts";
import { globMatcher } from "./glob.ts";
import { commonArgs, filterArgs, patternError, toMatch } from "./ripgrep.ts";

const timeoutMs = 60_000;
/** More is not shown to anybody; whoever searches stops when nobody reads on. */
const mostBytes = 1_000_000;

/**
 * Searches where the files are, in a terminal elsewhere: with ripgrep when it is there, else with grep and find, to which
 * ignore files mean nothing.
 */
export function engineOf(terminal: Terminal): SearchEngine {
  const dates = new Map<string, number>();
  return {
    name: `search in a ${terminal.kind} terminal`,
    content: (query) => contentLines(terminal, query),
    files: (query) => fileNames(terminal, query, dates),
    modifiedMs: (file) => dates.get(file) ?? 0,
  };
}

interface Location {
  readonly folder: string;
  readonly within: string;
}

async function* contentLines(terminal: Terminal, query: ContentQuery): AsyncIterable<LineMatch> {
  const location = await locationOf(terminal, query.root, query.signal);
  const isWanted = query.glob === undefined ? () => true : await globMatcher(query.glob, location.folder);
  const around = query.context > 0 ? [`--context=${query.context}`] : [];
  const rg = [...commonArgs, "--json", "--sort=path", ...around, ...filterArgs(query.glob), "--regexp", query.pattern];
  const grep = ["-rnIEZ", "--exclude-dir=.[A-Za-z0-9_-]*", "--exclude=.[A-Za-z0-9_-]*", ...around, "-e", query.pattern];
  const text = await run(terminal, { location, rg, other: `grep ${grep.map(quote).join(" ")}` }, query.signal);
  const read = text.startsWith("{") || text === "" ? jsonLine : grepLine;
  for (const line of text.split("\n")) {
    const match = read(line);
    const file = path.posix.resolve(location.folder, match?.path ?? "");
    if (match !== undefined && isWanted(file)) yield { ...match, path: file };
  }
}

async function* fileNames(terminal: Terminal, query: FilesQuery, dates: Map<string, number>): AsyncIterable<string> {
  const location = await locationOf(terminal, query.root, query.signal);
  const isWanted = await globMatcher(query.glob, location.folder);
  const stat = "stat -c '%Y|%n' --";
  const rg = [...commonArgs, "--files", "--null", ...filterArgs(query.glob)];
  const other = `find ${quote(location.within)} -name '.?*' -prune -o -type f -exec ${stat} {} +`;
  const text = await run(
    terminal,
    { location, rg, after: `| xargs -0 -r ${stat}`, other, isWhole: true },
    query.signal,
  );
  for (const line of text.split("\n")) {
    const [, seconds, name] = /^(\d+)\|(.+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const file = path.posix.resolve(location.folder, name);
    if (!isWanted(file)) continue;
    dates.set(file, Number(seconds) * 1000);
    yield file;
  }
}

/** Both programs are started where the search begins; what they cannot do they say on the same output. */
async function run(
  terminal: Terminal,
  request: {
    readonly location: Location;
    readonly rg: readonly string[];
    readonly after?: string;
    readonly other: string;
    /** The other command names what it searches itself. */
    readonly isWhole?: boolean;
  },
  signal: AbortSignal,
): Promise<string> {
  const { location, after = "" } = request;
  const within = quote(location.within);
  const other = request.isWhole === true ? request.other : `${request.other} -- ${within}`;
  const rg = `command rg ${request.rg.map(quote).join(" ")} -- ${within} ${after}`;
  const command = `if command -v rg >/dev/null 2>&1; then ${rg}; else command ${other}; fi 2>&1 | head -c ${mostBytes}`;
  const ran = await terminal.exec(command, { cwd: location.folder, timeoutMs, signal });
  signal.throwIfAborted();
  if (ran.ended !== "exited") throw new ToolFailure(`The search in the ${terminal.kind} terminal did not end in time`);
  const [first = ""] = ran.output.split("\n");
  if (/regex parse error|error parsing/.test(first)) throw patternError(ran.output);
  const [, problem] = /^grep: (.*(?:Unmatched|Invalid|Trailing|preceding).*)$/.exec(first) ?? [];
  if (problem !== undefined) throw new BadPatternError(problem, undefined);
  if (/unrecognized option|invalid option|not found/.test(first))
    throw new ToolFailure(`search_files needs ripgrep or GNU grep in this ${terminal.kind} terminal (${first})`);
  return ran.output;
}

async function locationOf(terminal: Terminal, root: string, signal: AbortSignal): Promise<Location> {
  const facts = await terminal.files.stat(root, { followLinks: true, signal });
  return facts?.kind === "file"
    ? { folder: path.posix.dirname(root), within: `./${path.posix.basename(root)}` }
    : { folder: root, within: "./" };
}

function jsonLine(line: string): LineMatch | undefined {
  const parsed = parseJson(line);
  return parsed.ok ? toMatch(parsed.value) : undefined;
}

/** `name NUL number`, then a colon before a line that matched and a dash before one beside it. */
function grepLine(line: string): LineMatch | undefined {
  const [name, rest] = line.split("\0");
  const [, number, mark, text = ""] = /^(\d+)([:-])(.*)$/.exec(rest ?? "") ?? [];
  if (name === undefined || number === undefined) return undefined;
  return { path: name, line: Number(number), text: text.replace(/\r$/, ""), isMatch: mark === ":" };
}
