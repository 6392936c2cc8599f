import { readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defined } from "#foundation/defined";
import { Deferred } from "#foundation/lifecycle/deferred";
import { ScriptStarts } from "../code/script-starts.ts";
import type { Terminal } from "../contract/terminal.ts";
import type { TerminalWall } from "../terminals/local/local-terminal.ts";
import { processStartedAtMs } from "../terminals/process-start-time.ts";
import { allowingGate, localWorkshop, noWall } from "../terminals/testing.ts";
import { runTool, testScope, toolContext } from "../testing.ts";
import { createExecuteCodeTool, defaultScriptOptions, type ExecuteCodeDeps } from "./execute-code.tool.ts";

let shop: Awaited<ReturnType<typeof localWorkshop>>;
let calls: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[];

beforeEach(async () => {
  shop = await localWorkshop();
  calls = [];
});

afterEach(() => {
  vi.useRealTimers();
  return shop[Symbol.asyncDispose]();
});

const depsWith = (changes: Partial<ExecuteCodeDeps> = {}): ExecuteCodeDeps => ({
  leases: shop.leases,
  gate: allowingGate,
  options: defaultScriptOptions,
  env: {
    PATH: process.env["PATH"],
    HOME: shop.home,
    OPENAI_API_KEY: "sk-x",
    MY_VAR: "1",
    HERMES_TIMEZONE: "Asia/Tokyo",
    HERMES_AUTH: "x",
  },
  passthrough: ["MY_PASSED"],
  callTool(call) {
    calls.push(call);
    return Promise.resolve(JSON.stringify({ echo: call.args }));
  },
  redact: (text) => text.replaceAll("hunter2", "***"),
  starts: new ScriptStarts({}),
  screening: "allow",
  isContained: () => false,
  wall: () => Promise.resolve(noWall),
  ...changes,
});

interface Run {
  readonly language?: string;
  readonly enabled?: readonly string[];
  readonly deps?: Partial<ExecuteCodeDeps>;
  readonly signal?: AbortSignal;
}

async function run(code: string, { language, enabled = ["read_file", "terminal"], deps = {}, signal }: Run = {}) {
  const tool = createExecuteCodeTool(depsWith(deps));
  const context = toolContext({ enabledTools: new Set(enabled), ...defined({ signal }) });
  const { content } = await runTool(tool, { code, ...defined({ language }) }, context);
  return content as Record<string, unknown>;
}

describe("execute_code in Python", () => {
  it("[30:3.7] prints, and calls tools as functions with parsed results", async () => {
    const answer = await run(
      "from hermes_tools import read_file\nfor i in range(3):\n    print(read_file('f', limit=i)['echo']['limit'])",
    );
    expect(answer).toEqual({
      status: "success",
      output: "0\n1\n2\n",
      tool_calls_made: 3,
      duration_seconds: expect.any(Number),
    });
    expect(calls[0]).toEqual({ tool: "read_file", args: { path: "f", offset: 1, limit: 0 } });
  });

  it("[30:3.27-16] [30:W-05] gives no function for a tool the agent does not have", async () => {
    const answer = await run("from hermes_tools import terminal", { enabled: ["read_file"] });
    expect(answer).toMatchObject({ status: "error", tool_calls_made: 0, error: expect.stringContaining("terminal") });
    const sneaky = await run("import hermes_tools\nprint(hermes_tools._call('terminal', {'command': 'id'}))", {
      enabled: ["read_file"],
    });
    expect(sneaky).toMatchObject({
      status: "success",
      tool_calls_made: 0,
      output: expect.stringContaining("Available: read_file"),
    });
    const none = await run("import hermes_tools\nprint([n for n in dir(hermes_tools) if n[0] != '_'])", {
      enabled: ["todo"],
    });
    expect(none["output"]).toBe("['json_parse', 'retry', 'shell_quote']\n");
    expect(calls).toEqual([]);
  });

  it("[30:3.27-17] [30:3.7] hides the environment, except a short list and what was passed", async () => {
    const env = { ...depsWith().env, MY_PASSED: "yes" };
    const answer = await run("import os\nprint(dict(os.environ))", { deps: { env } });
    expect(answer["output"]).not.toMatch(/OPENAI_API_KEY|MY_VAR|HERMES_AUTH/);
    expect(answer["output"]).toContain("'MY_PASSED': 'yes'");
    expect(answer["output"]).toContain("'TZ': 'Asia/Tokyo'");
  });

  it("[30:3.7] withholds what a script may not ask of terminal", async () => {
    await run(
      "import hermes_tools\nhermes_tools._call('terminal', {'command': 'x', 'background': True, 'pty': True, 'timeout': 5})",
    );
    expect(calls).toEqual([{ tool: "terminal", args: { command: "x", timeout: 5 } }]);
  });

  it("[30:3.7] stops answering after the last allowed call", async () => {
    const options = { ...defaultScriptOptions, maxToolCalls: 2 };
    const answer = await run(
      "from hermes_tools import read_file\nprint([('error' in read_file('f')) for _ in range(3)])",
      { deps: { options } },
    );
    expect(answer).toMatchObject({ output: "[False, False, True]\n", tool_calls_made: 2 });
  });

  it("[30:3.7] takes several calls at once", async () => {
    const both = new Deferred<void>();
    let waiting = 0;
    const callTool = async () => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
      return "{}";
    };
    const code =
      "from concurrent.futures import ThreadPoolExecutor as P\nfrom hermes_tools import read_file\nwith P(2) as p:\n    print(len(list(p.map(read_file, 'ab'))))";
    expect(await run(code, { deps: { callTool } })).toMatchObject({ output: "2\n", tool_calls_made: 2 });
  });

  it("[30:3.7] reports a failing script with its stderr, masked", async () => {
    const answer = await run("print('before')\nraise ValueError('hunter2')");
    expect(answer).toMatchObject({ status: "error", error: expect.stringContaining("ValueError: ***") });
    expect(answer["output"]).toMatch(/^before\n\n--- stderr ---\nTraceback/);
    expect(await run("import sys; sys.exit(3)")).toMatchObject({
      status: "error",
      error: expect.stringContaining("3"),
    });
  });

  it("[30:3.7] stops a script at its time limit with everything it started", async () => {
    // The limit is up once the script says that it is under way, however long an interpreter takes to start.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    const options = { ...defaultScriptOptions, timeoutMs: 300_000 };
    const callTool = () => {
      vi.advanceTimersByTime(options.timeoutMs);
      return Promise.resolve("{}");
    };
    const answer = await run(
      [
        "from hermes_tools import read_file",
        "import subprocess, time",
        "p = subprocess.Popen(['sleep', '600'])",
        "print(p.pid, flush=True)",
        "read_file('f')",
        "time.sleep(600)",
      ].join("\n"),
      { deps: { options, callTool } },
    );
    expect(answer).toMatchObject({
      status: "timeout",
      error: expect.stringContaining("300 s"),
      output: expect.stringContaining("stopped after"),
    });
    const pid = Number(String(answer["output"]).split("\n")[0]);
    expect(pid).toBeGreaterThan(0);
    expect(await processStartedAtMs(pid, new AbortController().signal)).toBeUndefined();
  });

  it("[30:3.7] is interrupted with the turn", async () => {
    const stop = new AbortController();
    const callTool = () => {
      stop.abort();
      return Promise.resolve("{}");
    };
    const answer = await run("from hermes_tools import read_file\nimport time\nread_file('f')\ntime.sleep(60)", {
      signal: stop.signal,
      deps: { callTool },
    });
    expect(answer).toMatchObject({ status: "interrupted", tool_calls_made: 1 });
  });

  it("[30:3.7] cuts long output in the middle", async () => {
    const output = String((await run("print('a' * 100000 + 'z')"))["output"]);
    expect(output.length).toBeLessThan(50_200);
    expect(output).toMatch(/^a{20000}\n\n\[\.\.\. \d+ of 100002 characters left out \.\.\.\]\n\na{29998}z\n$/);
  });

  it("[30:3.7] runs in the session's directory in project mode, in its own in strict mode", async () => {
    const code = "import os; print(os.getcwd())";
    expect((await run(code))["output"]).toBe(`${shop.cwd}\n`);
    const strict = await run(code, { deps: { options: { ...defaultScriptOptions, mode: "strict" } } });
    expect(strict["output"]).toMatch(/hermes-\d+\/code-/);
    expect((await readdir(shop.folder, { recursive: true })).filter((name) => /code-\d/.test(name))).toEqual([]);
  });

  it("[30:3.7] has a socket that only this user can open", async () => {
    const answer = await run(
      "import os\nprint(oct(os.stat(os.environ['HERMES_RPC_SOCKET']).st_mode & 0o777), oct(os.stat(os.path.dirname(os.environ['HERMES_RPC_SOCKET'])).st_mode & 0o777))",
    );
    expect(answer["output"]).toBe("0o600 0o700\n");
  });

  it("[30:3.7] brings helpers", async () => {
    const code = `from hermes_tools import json_parse, shell_quote, retry
print(json_parse('Here: \`\`\`json\\n{"a": 1}\\n\`\`\`'), json_parse('x [1, 2] y'), shell_quote("a b"))
n = []
def f():
    n.append(1)
    if len(n) < 3: raise OSError()
    return len(n)
print(retry(f, delay=0.001))`;
    expect((await run(code))["output"]).toBe("{'a': 1} [1, 2] 'a b'\n3\n");
  });
});

describe("execute_code in JavaScript", () => {
  it("[30:3.7] calls the same tools with await", async () => {
    const code = `import { read_file, json_parse, shell_quote } from "hermes_tools";
const [a, b] = await Promise.all([read_file("f", 2), read_file({ path: "g" })]);
console.log(a.echo.offset, b.echo.path, json_parse("x {\\"y\\":1}").y, shell_quote("it's"), process.env.OPENAI_API_KEY);`;
    expect(await run(code, { language: "javascript" })).toMatchObject({
      status: "success",
      output: "2 g 1 'it'\\''s' undefined\n",
      tool_calls_made: 2,
    });
  });

  it("[30:3.7] reports an error", async () => {
    expect(await run("throw new Error('bad')", { language: "javascript" })).toMatchObject({
      status: "error",
      error: expect.stringContaining("bad"),
    });
  });
});

describe("execute_code", () => {
  it("[30:3.7] refuses no code and an unknown language", async () => {
    await expect(run("  ")).rejects.toThrow("no code");
    await expect(run("1", { language: "ruby" })).rejects.toThrow("python, javascript");
  });

  it("[30:1.5] [30:9.1-1] describes only functions that are there, and its limits", () => {
    const tool = createExecuteCodeTool(
      depsWith({ options: { ...defaultScriptOptions, timeoutMs: 77_000, mode: "strict" } }),
    );
    const definition = { name: tool.name, description: tool.description, parameters: tool.parameters };
    const text =
      tool.patchDefinition?.(definition, new Set(["read_file", "patch", "todo"]), testScope())?.description ?? "";
    expect(text).toContain("read_file(path, offset=1, limit=500)");
    expect(text).toContain("from hermes_tools import read_file, patch");
    expect(text).not.toMatch(/web_search|terminal\(|todo/);
    expect(text).toContain("77 s");
    expect(text).toContain("temporary directory");
    expect(tool.patchDefinition?.(definition, new Set(), testScope())?.description).toContain("No tools can be called");
  });

  it("[30:3.7] asks before a script runs when that is wanted, also when the sandbox is missing", async () => {
    const gate = {
      ...allowingGate,
      checkFindings: () =>
        Promise.resolve({ kind: "blocked", reason: "no scripts", isHardline: false, findings: [] } as const),
    };
    for (const screening of ["ask", "sandbox"] as const) {
      const answer = await run(`open('${shop.cwd}/ran', 'w')`, { deps: { gate, screening } });
      expect(answer).toEqual({ error: "no scripts", status: "blocked" });
    }
    await expect(stat(path.join(shop.cwd, "ran"))).rejects.toThrow();
  });

  it("[30:3.7] asks about a script in a container only where its commands are asked about, too", async () => {
    const asked: string[] = [];
    const gate: ExecuteCodeDeps["gate"] = {
      ...allowingGate,
      checkFindings: (summary) => {
        asked.push(summary);
        return Promise.resolve({ kind: "blocked", reason: "no scripts", isHardline: false, findings: [] });
      },
    };
    const leases: ExecuteCodeDeps["leases"] = {
      take: async (...wanted) => asContainer(await shop.leases.take(...wanted)),
    };
    const deps = { gate, leases, screening: "sandbox" } as const;
    const held = await run("print(6 * 7)", { deps: { ...deps, isContained: (kind) => kind === "docker" } });
    expect(held).toMatchObject({ status: "success", output: "42\n" });
    expect(asked).toEqual([]);
    expect(await run("print(1)", { deps })).toEqual({ error: "no scripts", status: "blocked" });
    const always = { ...deps, screening: "ask", isContained: () => true } as const;
    expect(await run("print(1)", { deps: always })).toEqual({ error: "no scripts", status: "blocked" });
  });

  it("[30:3.7] runs a script confined when that is wanted", async () => {
    await writeFile(path.join(shop.folder, "wrapper.sh"), '#!/bin/sh\necho confined\nexec "$@"\n', { mode: 0o755 });
    const confine: TerminalWall["confine"] = (call) => ({
      program: path.join(shop.folder, "wrapper.sh"),
      args: [call.program, ...call.args],
    });
    const wall = () => Promise.resolve({ ...noWall, isInForce: true, confine });
    expect(await run("print(1)", { deps: { screening: "sandbox", wall } })).toMatchObject({
      output: "confined\n1\n",
    });
  });
});

/** The same terminal, as if it were in a container. */
function asContainer(terminal: Terminal): Terminal {
  return new Proxy(terminal, {
    get(target, name) {
      if (name === "kind") return "docker";
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
