import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadConfig } from "#config";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { ApprovalRequest, Approver } from "./contract/approval-request.ts";
import type { Auxiliary, SampleRequest } from "./contract/auxiliary.ts";
import type { DeliveredWords, Prompter } from "./contract/session-scope.ts";
import { noAuxiliary, nobody } from "./contract/unattended-scope.ts";
import { toolStage } from "./testing/tool-stage.ts";

const flagged = { command: "rm -rf ../.hermes/junk" };
const open = "terminal: {sandbox: off}\n";
const fakeServer = fileURLToPath(new URL("../../test/fakes/mcp-server/server.mjs", import.meta.url));

describe("approvals", () => {
  it("are given by a side model first in smart mode; its doubts go to the person [30:5.6]", async () => {
    await using stage = await toolStage({ "config.yaml": `${open}approvals: {mode: smart}\n` });
    const verdicts = ["APPROVE", "DENY", "I would APPROVE"];
    const asked: ApprovalRequest[] = [];
    const toolbox = await stage.open();
    const call = stage.as({
      auxiliary: { ...noAuxiliary, ask: () => Promise.resolve({ kind: "text", text: verdicts.shift() ?? "" }) },
      approver: {
        ask: (request) => {
          asked.push(request);
          return Promise.resolve("once");
        },
      },
    });
    expect(await call(toolbox, "terminal", { command: "rm -rf ../.hermes/a" })).toContain("judged safe");
    expect(await call(toolbox, "terminal", { command: "rm -rf ../.hermes/b" })).toContain("judged dangerous");
    expect(asked).toHaveLength(0);
    expect(await call(toolbox, "terminal", { command: "rm -rf ../.hermes/c" })).toContain("approved by the user");
    expect(asked).toHaveLength(1);
  });

  it("are not asked for in yolo, for the whole run or for one session [30:5.7]", async () => {
    await using stage = await toolStage({ "config.yaml": open });
    expect(await stage.call(await stage.open({ yolo: true }), "terminal", flagged)).toContain('"exit_code":0');
    const toolbox = await stage.open();
    const session = stage.session(toolbox);
    expect(toolbox.yolo.toggle("cli")).toBe(true);
    expect(await stage.call(toolbox, "terminal", flagged)).toContain('"exit_code":0');
    expect(await stage.as({ key: "other" })(toolbox, "terminal", flagged)).toContain("not run");
    await session[Symbol.asyncDispose]();
    expect(await stage.call(toolbox, "terminal", flagged)).toContain("not run");
  });

  it("stay on where the settings forbid yolo, and that is said [30:5.7]", async () => {
    await using stage = await toolStage({ "config.yaml": "approvals: {allow_yolo: false}\n" });
    const toolbox = await stage.open({ yolo: true });
    expect(await stage.call(toolbox, "terminal", flagged)).toContain("not run");
    expect(stage.notices).toEqual(["Approvals stay on: approvals.allow_yolo does not let them be switched off."]);
  });

  it("follow the rules for scheduled jobs and for surfaces without people [30:5.1-4]", async () => {
    await using stage = await toolStage({ "config.yaml": `${open}approvals: {cron_mode: approve}\n` });
    const toolbox = await stage.open();
    const approver: Approver = { ask: () => Promise.reject(new Error("nobody is here")) };
    const from = (source: string) => stage.as({ source, approver })(toolbox, "terminal", flagged);
    expect(await from("cron")).toContain('"exit_code":0');
    expect(await from("webhook")).toContain("not run");
  });
});

describe("files", () => {
  it("are written only below the folder that the environment names [30:5.14]", async () => {
    await using stage = await toolStage();
    await mkdir(path.join(stage.cwd, "safe"));
    await writeFile(stage.home.envFile, `HERMES_WRITE_SAFE_ROOT=${path.join(stage.cwd, "safe")}\n`);
    const toolbox = await stage.open();
    const write = (name: string) => stage.call(toolbox, "write_file", { path: name, content: "x" });
    expect(await write("outside.txt")).toContain("the only folder tools may write");
    expect(await write("safe/inside.txt")).not.toContain('"error"');
  });

  it("that changed since they were read are not overwritten, unless the settings only warn [30:8.1]", async () => {
    await using stage = await toolStage();
    const file = path.join(stage.cwd, "a.txt");
    const overwrite = async (): Promise<string> => {
      const toolbox = await stage.open();
      await writeFile(file, "one\n");
      await stage.call(toolbox, "read_file", { path: "a.txt" });
      await writeFile(file, "somebody else's\n");
      return stage.call(toolbox, "write_file", { path: "a.txt", content: "mine\n" });
    };
    expect(await overwrite()).toContain('"stale":true');
    await writeFile(stage.home.config, "file_safety: {stale_write: warn}\n");
    expect(await overwrite()).toContain("_warning");
    await writeFile(stage.home.envFile, "HERMES_DISABLE_FILE_STATE_GUARD=1\n");
    expect(await overwrite()).not.toContain("_warning");
  });

  it("may be read again after something else was done, and after the context has lost them [30:8.2]", async () => {
    await using stage = await toolStage();
    await writeFile(path.join(stage.cwd, "a.txt"), "one\n");
    const toolbox = await stage.open();
    const read = () => stage.call(toolbox, "read_file", { path: "a.txt" });
    await read();
    expect(await read()).toContain('"dedup":true');
    toolbox.forgetShown("task");
    expect(await read()).toContain("one");
    await read();
    await stage.call(toolbox, "terminal", { command: "true" });
    expect(await read()).not.toContain("already_read");
  });

  it("are snapshotted only where the settings want it [30:8.4]", async () => {
    await using stage = await toolStage({ "config.yaml": "checkpoints: {enabled: false}\n" });
    const toolbox = await stage.open({ yolo: true });
    await stage.call(toolbox, "write_file", { path: "a.txt", content: "x" });
    await stage.call(toolbox, "terminal", { command: "echo y > a.txt" });
    expect(await toolbox.snapshots.list(stage.cwd, never)).toEqual([]);
  });
});

describe("the terminal", () => {
  it("starts in the folder of the session, and gives commands the configured time [30:4.1]", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {timeout: 1}\n" });
    const sub = path.join(stage.cwd, "sub");
    await mkdir(sub);
    const toolbox = await stage.open();
    expect(await stage.as({ key: "below", cwd: sub }, "below")(toolbox, "terminal", { command: "pwd" })).toContain(sub);
    expect(await stage.call(toolbox, "terminal", { command: "sleep 30" })).toContain('"exit_code":124');
  });

  it("reports the end of background processes to the session that started them [30:4.7]", async () => {
    await using stage = await toolStage();
    const told = new Deferred<DeliveredWords>();
    const call = stage.as({ deliver: (words) => told.resolve(words) === undefined });
    const background = { background: true, notify_on_complete: true };
    await call(await stage.open(), "terminal", { command: "exit 3", ...background });
    expect(await told.promise).toMatchObject({ how: "queue", text: expect.stringContaining("Exit code: 3") });
  });

  it("asks for the password of sudo where nobody sees it [30:4.9]", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {sandbox: off}\napprovals: {mode: off}\n" });
    const asked: unknown[] = [];
    const prompter: Prompter = {
      ...nobody,
      secret: (question) => {
        asked.push(question);
        return Promise.resolve({ kind: "declined" });
      },
    };
    const bin = path.join(stage.cwd, "bin");
    await mkdir(bin);
    await writeFile(path.join(bin, "sudo"), "#!/bin/sh\n", { mode: 0o755 });
    const [call, toolbox] = [stage.as({ prompter }), await stage.open()];
    await call(toolbox, "terminal", { command: `export PATH=${bin}:$PATH` });
    await call(toolbox, "terminal", { command: "sudo -n true" });
    expect(asked).toEqual([{ kind: "sudo", prompt: "Password for sudo" }]);
  });
});

describe("scripts", () => {
  const code = "open('/var/tmp/hermes-escape', 'w')";

  it("need a person's word where the settings want it [30:3.7]", async () => {
    await using stage = await toolStage({ "config.yaml": "approvals: {code_execution: ask}\n" });
    expect(await stage.call(await stage.open(), "execute_code", { code })).toContain('"status":"blocked"');
  });

  it("are confined where the settings want it, also when commands are not [30:3.7]", async () => {
    await using stage = await toolStage({
      "config.yaml": "terminal: {sandbox: off}\napprovals: {code_execution: sandbox}\n",
    });
    const text = await stage.call(await stage.open(), "execute_code", { code });
    // Without a sandbox on this machine somebody would have to agree.
    expect(text).toMatch(/Read-only file system|"status":"blocked"/);
  });
});

describe("file tools", () => {
  it("read relative paths from where the terminal stands now [30:ENV-24]", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {sandbox: off}\napprovals: {mode: off}\n" });
    const toolbox = await stage.open();
    await mkdir(path.join(stage.cwd, "sub"));
    await writeFile(path.join(stage.cwd, "a.txt"), "of the project\n");
    await writeFile(path.join(stage.cwd, "sub", "a.txt"), "of the folder below\n");
    expect(await stage.call(toolbox, "read_file", { path: "a.txt" })).toContain("of the project");
    await stage.call(toolbox, "terminal", { command: "cd sub" });
    expect(await stage.call(toolbox, "read_file", { path: "a.txt" })).toContain("of the folder below");
  });
});

describe("a profile with a home folder", () => {
  it("keeps what commands and scripts write to their home in it [20:R7.21]", async () => {
    await using stage = await toolStage({ "config.yaml": "approvals: {mode: off}\n", "home/.keep": "" });
    const toolbox = await stage.open();
    const own = stage.home.subprocessHome;
    expect(await stage.call(toolbox, "terminal", { command: "echo at $HOME; echo x > ~/made.txt" })).toContain(
      `at ${own}`,
    );
    expect(await stage.read("home/made.txt")).toBe("x\n");
    const code = 'import os; print("at", os.path.expanduser("~"))';
    expect(await stage.call(toolbox, "execute_code", { code })).toContain(`at ${own}`);
  });

  it("is not given to commands where there is none [20:R7.21]", async () => {
    await using stage = await toolStage({ "config.yaml": "approvals: {mode: off}\n" });
    const text = await stage.call(await stage.open(), "terminal", { command: "echo at $HOME" });
    expect(text).toContain(`at ${path.dirname(stage.home.root)}`);
  });
});

describe("MCP servers", () => {
  it("may ask the model when they are trusted and a model was handed in [30:6.5]", async () => {
    const tools = [{ name: "sample", description: "Asks", inputSchema: { type: "object", properties: {} } }];
    await using stage = await toolStage({
      "config.yaml": `mcp_servers:\n  fake: ${JSON.stringify({ command: process.execPath, args: [fakeServer, JSON.stringify({ tools })], trust: "trusted" })}\n`,
    });
    const requests: SampleRequest[] = [];
    const auxiliary: Auxiliary = {
      ...noAuxiliary,
      sample: (request) => {
        requests.push(request);
        const content = [{ type: "text", text: "forty-two" }] as const;
        return Promise.resolve({ kind: "reply", model: "m", content, finish: "stop", tokensUsed: 1 });
      },
    };
    expect(await stage.as({ auxiliary })(await stage.open(), "mcp_fake_sample", {})).toContain("forty-two");
    expect(requests).toMatchObject([{ server: "fake", maxTokens: 4096 }]);
  });
});

describe("the browser", () => {
  it("shows pages of this machine to the person at it, and to nobody else [30:3.15] [30:5.9]", async () => {
    const server = createServer((_request, response) => response.end("<title>Here</title><button>welcome</button>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      await using stage = await toolStage();
      const toolbox = await stage.open();
      const { names, unavailable } = await toolbox.list({}, stage.scope(), never);
      if (!names.has("browser_navigate")) {
        expect(unavailable.find(({ name }) => name === "browser_navigate")?.reason).toContain("Chromium");
        return;
      }
      expect(await stage.call(toolbox, "browser_navigate", { url })).toContain("welcome");
      expect(await stage.as({ source: "telegram" }, "far")(toolbox, "browser_navigate", { url })).toContain(
        "private network or this machine",
      );
      await toolbox.release("task");
      expect(await stage.call(toolbox, "browser_snapshot", {})).toContain("No page is open");
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("a sandbox that is wanted", () => {
  it("and not there keeps commands from running, and says so [30:4.4]", async () => {
    await using stage = await toolStage({
      "config.yaml": "terminal: {sandbox: on}\napprovals: {code_execution: sandbox}\n",
    });
    const loaded = await loadConfig({ home: stage.home, env: { HOME: stage.cwd, PATH: "/nowhere" } });
    const toolbox = await stage.open({ loaded });
    for (const [tool, args] of [
      ["terminal", { command: "true" }],
      ["execute_code", { code: "1" }],
    ] as const)
      expect(await stage.call(toolbox, tool, args)).toContain("commands cannot be confined here");
  });
});
