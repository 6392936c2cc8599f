import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PodmanEngine } from "../contracts/terminal/peers/podman.ts";
import { calls, reply, says, startModelServer, thinks } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const missing = PodmanEngine.missing();
if (missing !== undefined) process.stderr.write(`\nThe program in a container is not tried: ${missing}\n`);

describe.skipIf(missing !== undefined)("the program with a docker terminal", () => {
  let engine: PodmanEngine;
  beforeAll(async () => {
    engine = await PodmanEngine.start();
  }, 120_000);
  afterAll(() => engine?.[Symbol.asyncDispose](), 60_000);

  it("runs commands, file tools and searches in one container, and removes it [30:ENV-20] [30:ENV-23]", async () => {
    await using server = await startModelServer({ strict: true });
    const settings = `terminal:\n  backend: docker\n  docker_image: ${engine.image}\n  docker_network: none\n  container_memory: 512\n`;
    await using stage = await Stage.open({ config: `${modelConfig(server.chatBaseUrl)}${settings}` });
    server.script(
      calls("terminal", { command: "rm -rf /workspace/x; cd /tmp && echo inside >note.txt && id -un && pwd" }),
      calls("read_file", { path: "note.txt" }),
      calls("search_files", { pattern: "inside", path: "/tmp" }),
      says("Done."),
    );
    const ran = await stage.run(["chat", "-q", "go", "-Q"], { env: { HERMES_DOCKER_BINARY: engine.program } });
    expect(ran).toMatchObject({ code: 0, stdout: "Done.\n" });
    const results = server.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => String(content));
    expect(results?.[0]).toContain("root\\n/tmp");
    expect(results?.[1]).toContain("inside");
    expect(results?.[2]).toContain("note.txt");
    expect(existsSync("/tmp/note.txt")).toBe(false);
    expect(await engine.containers()).toEqual([]);
    expect((await stage.run(["status"], { env: { HERMES_DOCKER_BINARY: engine.program } })).stdout).toContain(
      `docker ${engine.image}, keeps /root and /workspace`,
    );
  });

  it("works in the image and folder that a row of a batch names; the model hears of neither [30:ENV-21]", async () => {
    await using server = await startModelServer({ strict: true });
    const settings = "terminal:\n  backend: docker\n  docker_image: localhost/none:9\n  docker_network: none\n";
    const row = { prompt: "where are you", docker_image: engine.image, cwd: "/usr" };
    await using stage = await Stage.open({
      config: `${modelConfig(server.chatBaseUrl)}${settings}`,
      files: { "prompts.jsonl": `${JSON.stringify(row)}\n` },
    });
    server.script(reply([thinks("I look."), calls("terminal", { command: "pwd" })]), says("There."));
    const args = [
      "batch",
      "--dataset_file",
      "prompts.jsonl",
      "--batch-size",
      "1",
      "--run-name",
      "r",
      "--distribution",
      "terminal_only",
    ];
    const ran = await stage.run(args, { env: { HERMES_DOCKER_BINARY: engine.program } });
    expect(ran).toMatchObject({ code: 0 });
    const [first, second] = server.requests;
    expect(second?.messages.filter(({ role }) => role === "tool").map(({ content }) => String(content))[0]).toContain(
      "/usr",
    );
    expect(JSON.stringify(first?.body)).not.toContain(engine.image);
    expect(await engine.containers()).toEqual([]);
  });

  it("hermes env gc removes the container of a killed run and leaves that of a running one [50:9.9.12] [50:4.9]", async () => {
    await using server = await startModelServer();
    server.otherwise(calls("terminal", { command: "sleep 300" }));
    const settings = `terminal:\n  docker_image: ${engine.image}\n  docker_network: none\n`;
    await using stage = await Stage.open({ config: `${modelConfig(server.chatBaseUrl)}${settings}` });
    const env = { HERMES_DOCKER_BINARY: engine.program };
    const run = ["env", "terminal-test", "evaluate", "--env.terminal_backend", "docker"];
    const containers = async (count: number): Promise<readonly string[]> => {
      for (;;) {
        const found = await engine.containers();
        if (found.length === count) return found;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const dying = stage.start(run, { env });
    const [left] = await containers(1);
    dying.kill("SIGKILL");
    await once(dying, "exit");
    expect(await engine.containers()).toEqual([left]);
    const gone = await stage.run(["env", "gc", "--json"], { env });
    expect(JSON.parse(gone.stdout)).toMatchObject({ containers: [expect.any(String)] });
    expect(await engine.containers()).toEqual([]);
    const living = stage.start(run, { env });
    await containers(1);
    const again = await stage.run(["env", "gc"], { env });
    expect(again.stdout).toContain("Removed 0 containers");
    expect(await engine.containers()).toHaveLength(1);
    living.kill("SIGINT");
    await once(living, "exit");
    expect(await engine.containers()).toEqual([]);
  }, 120_000);
});
