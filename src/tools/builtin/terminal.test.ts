import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { ApprovalGate } from "../contract/approval-request.ts";
import type { ToolContext } from "../contract/context.ts";
import type { Terminal } from "../contract/terminal.ts";
import type { TerminalDeps } from "../terminals/command/call-options.ts";
import { SudoPasswords } from "../terminals/command/sudo-password.ts";
import { processStartedAtMs } from "../terminals/process-start-time.ts";
import { NoPty } from "../terminals/pty.ts";
import { TerminalGone } from "../terminals/terminal-gone.ts";
import { localWorkshop } from "../terminals/testing.ts";
import { folderTerminal, leasesOf, runTool, testScope, toolContext } from "../testing.ts";
import { createTerminalTool } from "./terminal.tool.ts";

let shop: Awaited<ReturnType<typeof localWorkshop>>;

beforeEach(async () => {
  shop = await localWorkshop();
});

afterEach(() => shop[Symbol.asyncDispose]());

async function terminal(
  args: Record<string, unknown>,
  changes: { readonly deps?: Partial<TerminalDeps>; readonly context?: Partial<ToolContext> } = {},
): Promise<Record<string, unknown>> {
  const tool = createTerminalTool({ ...shop.deps, ...changes.deps });
  const { content } = await runTool(tool, args, toolContext(changes.context));
  return content as Record<string, unknown>;
}

describe("terminal", () => {
  it("[30:3.27-1] answers with output, code and no error", async () => {
    expect(await terminal({ command: "printf hi" })).toEqual({ output: "hi", exit_code: 0, error: null });
  });

  it("[30:3.27-2] [30:3.27-3] stays where cd went and keeps what was exported", async () => {
    await terminal({ command: "cd /tmp; export A=1" });
    expect(await terminal({ command: "pwd; echo $A" })).toMatchObject({ output: "/tmp\n1" });
    expect(await terminal({ command: "pwd" }, { context: { taskId: "other" } })).toMatchObject({ output: shop.cwd });
  });

  it("[30:3.27-4] explains a code that is not a failure", async () => {
    await writeFile(path.join(shop.cwd, "file"), "abc\n");
    expect(await terminal({ command: "grep zzz file" })).toMatchObject({
      exit_code: 1,
      exit_code_meaning: expect.stringContaining("matched"),
    });
  });

  it("[30:3.27-5] ends a command at its time limit", async () => {
    const answer = await terminal({ command: "echo $$; sleep 500", timeout: 1 });
    expect(answer).toMatchObject({ exit_code: 124, error: null });
    expect(answer["output"]).toMatch(/^\d+\n\[Command timed out after 1s\]$/);
    const pid = Number(String(answer["output"]).split("\n")[0]);
    expect(await processStartedAtMs(pid, new AbortController().signal)).toBeUndefined();
  });

  it("[30:3.27-6] refuses a time limit above the maximum and names it", async () => {
    const answer = await terminal({ command: "x", timeout: 601 });
    expect(answer).toMatchObject({ status: "error", exit_code: -1, error: expect.stringContaining("600") });
    expect(answer["error"]).toContain("background=true");
  });

  it("[30:3.27-7] refuses a server in the foreground", async () => {
    expect(await terminal({ command: "npm run dev" })).toMatchObject({
      status: "error",
      exit_code: -1,
      error: expect.stringContaining("background=true"),
    });
  });

  it("[30:3.27-8] runs text that only looks like backgrounding", async () => {
    expect(await terminal({ command: 'echo "a & b"' })).toMatchObject({ output: "a & b" });
  });

  it("[30:3.1] asks the gate before a terminal is made, and not for a forced call", async () => {
    const asked: string[] = [];
    const gate: ApprovalGate = {
      checkCommand: (command, context) => {
        asked.push(`${command} in ${context.cwd}`);
        return Promise.resolve({ kind: "blocked", reason: "not this", isHardline: false, findings: [] });
      },
      checkFindings: () => Promise.reject(new Error("not asked")),
    };
    const context = { scope: testScope({ cwd: shop.cwd }) };
    expect(await terminal({ command: "rm -rf x", workdir: "/" }, { deps: { gate }, context })).toEqual({
      output: "",
      exit_code: -1,
      error: "not this",
      status: "blocked",
    });
    expect(asked).toEqual(["rm -rf x in /"]);
    expect(shop.leases.peek("default")).toBeUndefined();
  });

  it("[30:3.1] says who approved", async () => {
    const gate: ApprovalGate = {
      ...shop.deps.gate,
      checkCommand: () => Promise.resolve({ kind: "run", note: "approved by you" }),
    };
    expect(await terminal({ command: "true" }, { deps: { gate } })).toMatchObject({ approval: "approved by you" });
  });

  it("[30:3.1] takes any directory name for one command, and refuses what none can hold", async () => {
    const odd = path.join(shop.cwd, "a $(touch x); 'b\"");
    await mkdir(odd);
    expect(await terminal({ command: "pwd", workdir: odd })).toMatchObject({ output: odd });
    expect(await terminal({ command: "pwd" })).toMatchObject({ output: shop.cwd });
    expect(await terminal({ command: "pwd", workdir: "a\nb" })).toMatchObject({
      status: "blocked",
      error: expect.stringContaining("\\n"),
    });
    expect(await terminal({ command: "pwd", workdir: "/does/not/exist" })).toMatchObject({ exit_code: 126 });
  });

  it("[30:3.1] answers an interrupt with 130 and the output so far", async () => {
    const stop = new AbortController();
    const lease = await shop.leases.take(toolContext(), stop.signal);
    const running = terminal({ command: "touch begun; echo so far; sleep 30" }, { context: { signal: stop.signal } });
    while (
      (await lease.files.stat(path.join(shop.cwd, "begun"), { followLinks: true, signal: toolContext().signal })) ===
      undefined
    ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    stop.abort();
    expect(await running).toMatchObject({ exit_code: 130, output: expect.stringContaining("[Command interrupted]") });
  });

  it("[30:3.1] [30:W-13] transforms, strips, masks, trims and then cuts", async () => {
    const seen: string[] = [];
    const transformOutput = (output: string) => {
      seen.push(output);
      return Promise.resolve(`${output} added`);
    };
    const answer = await terminal(
      { command: "printf '\\033[31mred hunter2\\033[0m  '" },
      { deps: { transformOutput } },
    );
    expect(seen).toEqual(["\u001b[31mred hunter2\u001b[0m  "]);
    expect(answer["output"]).toBe("red ***   added");
    const options = { ...shop.deps.options, maxOutputChars: 100 };
    const cut = String(
      (
        await terminal(
          { command: "printf 'h%.0s' $(seq 200); printf hunter2; printf 't%.0s' $(seq 200)" },
          { deps: { options } },
        )
      )["output"],
    );
    expect(cut).toMatch(/^h{40}\n\n\[\.\.\. 303 of 403 characters left out \.\.\.\]\n\nt{60}$/);
  });

  it("[30:ENV-25] makes a lost terminal again, once, and says so", async () => {
    await terminal({ command: `rm -rf ${shop.folder}/hermes-*/terminal-*` });
    expect(await terminal({ command: "echo back" })).toMatchObject({ output: "back", environment_restarted: true });
  });

  it("[30:3.1] tries a link that is down again after 2, 4 and 8 s, but never a command that may have run [30:W-17]", async () => {
    const slept: number[] = [];
    let downFor = 3;
    let mayHaveRun = false;
    let tried = 0;
    const leases: TerminalDeps["leases"] = {
      ...shop.deps.leases,
      take: async (taskId, signal) => {
        const real = await shop.deps.leases.take(taskId, signal);
        const exec: typeof real.exec = (command, options) => {
          tried += 1;
          if (tried <= downFor) return Promise.reject(new TerminalGone("link down", { mayHaveRun }));
          return real.exec(command, options);
        };
        return { ...folderTerminal(shop.folder), cwd: real.cwd, home: real.home, exec };
      },
      peek: (taskId) => shop.deps.leases.peek(taskId),
      release: () => Promise.resolve(),
    };
    const sleep = (ms: number): Promise<void> => Promise.resolve(void slept.push(ms));
    const deps = { deps: { leases, sleep } };
    expect(await terminal({ command: "echo up" }, deps)).toMatchObject({ output: "up", environment_restarted: true });
    expect(slept).toEqual([2_000, 4_000]);
    tried = 0;
    downFor = 99;
    await expect(terminal({ command: "echo up" }, deps)).rejects.toThrow("link down");
    expect(tried).toBe(5);
    tried = 0;
    mayHaveRun = true;
    await expect(terminal({ command: "echo up" }, deps)).rejects.toThrow("link down");
    expect(tried).toBe(1);
  });

  it("[30:3.1] is disabled when no terminal can be made", async () => {
    const leases: TerminalDeps["leases"] = {
      take: () => Promise.reject(new Error("no daemon")),
      peek: () => undefined,
      release: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    expect(await terminal({ command: "true" }, { deps: { leases } })).toMatchObject({
      status: "disabled",
      error: expect.stringContaining("no daemon"),
    });
  });

  it("[30:4.9] feeds the password to sudo by its input and never shows it", async () => {
    const bin = path.join(shop.folder, "bin");
    await mkdir(bin);
    await writeFile(path.join(bin, "sudo"), '#!/bin/sh\nread pw\necho "args:$*"\n[ "$pw" = s3cret ] && echo right\n', {
      mode: 0o755,
    });
    const sudo = new SudoPasswords({ configured: new Secret("s3cret"), clock: new FakeClock() });
    await terminal({ command: `export PATH=${bin}:$PATH` });
    const answer = await terminal({ command: "FOO=1 sudo id && echo hi" }, { deps: { sudo } });
    expect(answer["output"]).toBe("args:-S -p  id\nright\nhi");
  });

  it.each([false, true])(
    "[30:4.9] tells what the wall said while sudo was looked for (background: %s)",
    async (background) => {
      const note = "[network: the server on port 8000 is reachable from this machine at http://127.0.0.1:8000]";
      const real = await shop.leases.take(toolContext(), new AbortController().signal);
      const telling: Terminal = new Proxy(real, {
        get: (of, name) => {
          const value: unknown = Reflect.get(of, name, of);
          if (typeof value !== "function") return value;
          if (name !== "exec") return value.bind(of);
          return async (command: string, options: Parameters<Terminal["exec"]>[1]) => {
            const ran = await of.exec(command, options);
            return command === "command -v sudo" ? { ...ran, notes: [note] } : ran;
          };
        },
      });
      const sudo = new SudoPasswords({ clock: new FakeClock() });
      const answer = await terminal(
        { command: "sudo -n true", background },
        { deps: { sudo, leases: leasesOf(telling) } },
      );
      expect(answer["output"]).toContain(note);
    },
  );

  it("[30:4.9] adds a tip in a chat when sudo got no password", async () => {
    const command = "echo 'sudo: a password is required'; false";
    expect(
      (await terminal({ command }, { context: { scope: testScope({ source: "telegram" }) } }))["output"],
    ).toContain("sudo_password");
    expect((await terminal({ command }))["output"]).not.toContain("sudo_password");
  });

  it("[30:1.5] prints its limits and names only tools that are there", () => {
    const tool = createTerminalTool({
      ...shop.deps,
      options: { ...shop.deps.options, kind: "daytona", maxForegroundMs: 90_000 },
    });
    const definition = { name: tool.name, description: tool.description, parameters: tool.parameters };
    const patched = tool.patchDefinition?.(definition, new Set(["read_file"]), testScope());
    expect(patched?.description).toContain("90 s");
    expect(patched?.description).toContain("in a daytona terminal apart from the user's own machine");
    expect(patched?.description).toContain("read_file");
    expect(patched?.description).not.toContain("write_file");
    expect(patched?.description).not.toContain("pty");
    expect(JSON.stringify(patched?.parameters)).not.toContain('"pty"');
    expect(JSON.stringify(patched?.parameters)).not.toContain("force");
  });
});

describe("terminal with a pseudo-terminal", () => {
  it("[30:4.8] waits for a short program", async () => {
    const answer = await terminal({ command: "tty -s && echo is-a-tty", pty: true });
    expect(answer).toMatchObject({ output: "is-a-tty", exit_code: 0, error: null });
  });

  it("[30:4.8] hands over the process when it outlives the time limit", async () => {
    const answer = await terminal({ command: "echo ready; cat", pty: true, timeout: 1 });
    expect(answer).toMatchObject({
      session_id: expect.stringMatching(/^proc_/),
      output: expect.stringContaining("ready"),
    });
  });

  it("[30:4.8] falls back to pipes where no pseudo-terminal can be opened, and says so", async () => {
    const inner = await shop.leases.take(toolContext(), toolContext().signal);
    const withoutPty: Terminal = {
      ...folderTerminal(shop.cwd),
      exec: (command, options) => inner.exec(command, options),
      spawn: (command, options) =>
        options.pty ? Promise.reject(new NoPty("none here")) : inner.spawn(command, options),
    };
    const answer = await terminal(
      { command: "tty -s || echo no-tty", pty: true },
      { deps: { leases: leasesOf(withoutPty) } },
    );
    expect(answer).toMatchObject({ output: "no-tty", exit_code: 0, pty_note: expect.stringContaining("plain pipes") });
  });

  it("[30:4.8] does without for a command that reads a pipe, and says so", async () => {
    const answer = await terminal({ command: "true # gh auth login --with-token", pty: true });
    expect(answer).toMatchObject({ exit_code: 0, pty_note: expect.stringContaining("pipe") });
  });
});
