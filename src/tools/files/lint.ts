import { defined } from "#foundation/defined";
import { truncateEnd } from "#foundation/text/text";
import { extensionOf } from "./binary.ts";
import type { LintRequest, LintResult } from "./file-access.ts";

/** Finds problems in a text; undefined when it is fine. */
type Check = (text: string) => Promise<string | undefined> | string | undefined;

const maxOutput = 4_000;
const timeoutMs = 30_000;

export interface LintOptions {
  /** The user's own commands by extension, with `{file}` for the path. */
  readonly commands: Readonly<Record<string, string>>;
}

/** In this process, on the text itself: no program and no network. */
const parsers: Readonly<Record<string, Check>> = {
  json: checkJson,
  yaml: checkYaml,
  yml: checkYaml,
};

/** In the terminal of the task, on the written file; skipped when the program is missing. */
const programs: Readonly<Record<string, { readonly needs: string; readonly command: string }>> = {
  py: {
    needs: "python3",
    command: "python3 -c 'import ast,sys; ast.parse(open(sys.argv[1],\"rb\").read(), sys.argv[1])' {file}",
  },
  js: { needs: "node", command: "node --check {file}" },
  mjs: { needs: "node", command: "node --check {file}" },
  cjs: { needs: "node", command: "node --check {file}" },
  go: { needs: "gofmt", command: "gofmt -e -l {file} >/dev/null" },
  rs: { needs: "rustfmt", command: "rustfmt --check --edition 2021 {file} >/dev/null" },
  sh: { needs: "bash", command: "bash -n {file}" },
  bash: { needs: "bash", command: "bash -n {file}" },
};

/** A check of the syntax after a write. Problems that were there before are not the edit's; they are named as such. */
export function createLint(options: LintOptions): (request: LintRequest) => Promise<LintResult | undefined> {
  return async (request) => {
    const extension = extensionOf(request.path);
    const own = options.commands[extension] ?? options.commands[`.${extension}`];
    if (own !== undefined) return runProgram(request, own);
    const parser = parsers[extension];
    if (parser !== undefined) return runParser(parser, request);
    const program = programs[extension];
    if (program === undefined) return undefined;
    const found = await run(request, `command -v ${program.needs} >/dev/null 2>&1`);
    if (found.exitCode !== 0) return { status: "skipped", message: `${program.needs} is not installed here` };
    const result = await runProgram(request, program.command);
    return result.status === "error" && (await wasBroken(request, program.command, extension)) ? brokenBefore : result;
  };
}

const brokenBefore: LintResult = {
  status: "ok",
  message: "the file had a syntax problem before this edit, and still has one",
};

async function runParser(check: Check, request: LintRequest): Promise<LintResult> {
  const problem = await check(request.after);
  if (problem === undefined) return { status: "ok" };
  const earlier = request.before === undefined ? undefined : await check(request.before);
  return earlier !== undefined ? brokenBefore : { status: "error", output: truncateEnd(problem, maxOutput) };
}

async function runProgram(request: LintRequest, command: string): Promise<LintResult> {
  const { exitCode, output } = await run(request, command.replaceAll("{file}", quote(request.path)));
  if (exitCode === 0) return { status: "ok" };
  return { status: "error", output: truncateEnd(output.trim(), maxOutput) };
}

/** The same check on the text before, in a file of its own. */
async function wasBroken(request: LintRequest, command: string, extension: string): Promise<boolean> {
  if (request.before === undefined) return false;
  const copy = `"$d/before.${extension}"`;
  const check = command.replaceAll("{file}", copy);
  const script = `d=$(mktemp -d) && cat >${copy} && { ${check}; }; s=$?; rm -rf "$d"; exit $s`;
  const { exitCode } = await run(request, script, request.before);
  return exitCode !== 0;
}

async function run(
  request: LintRequest,
  command: string,
  stdin?: string,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  return request.terminal.exec(command, { timeoutMs, signal: request.signal, ...defined({ stdin }) });
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function checkJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "not valid JSON";
  }
}

async function checkYaml(text: string): Promise<string | undefined> {
  const { parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(text);
  const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
  return errors.length === 0 ? undefined : errors.map((error) => error.message).join("\n");
}
