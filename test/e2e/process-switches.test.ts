import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const ask = ["chat", "-q", "Who are you?"];
const quiet = "auxiliary:\n  title_generation: {enabled: false}\n";

describe("variables that switch one run", () => {
  it("HERMES_QUIET prints the answer alone, as -Q does [20:R7.13]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.otherwise(says("I am Hermes."));
    expect((await stage.run(ask)).stderr).not.toContain("session_id:");
    const quiet = await stage.run(ask, { env: { HERMES_QUIET: "1" } });
    expect(quiet).toMatchObject({ code: 0, stdout: "I am Hermes.\n" });
    expect(quiet.stderr).toMatch(/session_id: \d{8}_/);
  });

  it("HERMES_DUMP_REQUESTS keeps what the model was told, without the key and for its owner only [20:R7.13]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, `  api_key: \${LAB_KEY}\n${quiet}`),
      env: "LAB_KEY=sk-lab-0123456789abcdef\n",
    });
    const folder = path.join(stage.home, "logs", "requests");
    server.otherwise(says("I am Hermes."));
    await stage.run(ask);
    await expect(readdir(folder)).rejects.toThrow("ENOENT");
    const sent = server.requests.length;
    await stage.run(ask, { env: { HERMES_DUMP_REQUESTS: "1" } });
    const names = await readdir(folder);
    expect(names).toHaveLength(1);
    const file = path.join(folder, names[0] ?? "");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, "utf8");
    expect(text).not.toContain("sk-lab");
    const request = await server.received(sent + 1);
    expect(request.headers["authorization"]).toBe("Bearer sk-lab-0123456789abcdef");
    expect(JSON.parse(text)).toMatchObject({
      provider: "custom",
      model: "fake-model",
      method: "POST",
      body: request.body,
    });
  });

  it("others stand before the file for one run: prompt, messages before the conversation, limit of steps [20:R7.13] [20:R7.2]", async () => {
    await using server = await startModelServer({ strict: true });
    const config = modelConfig(server.chatBaseUrl, `agent:\n  system_prompt: Speak like a pirate.\n${quiet}`);
    await using stage = await Stage.open({ config });
    const prefill = path.join(stage.folder, "prefill.json");
    const before = [
      { role: "user", content: "Say ahoy." },
      { role: "assistant", content: "Ahoy." },
    ];
    await writeFile(prefill, JSON.stringify(before));
    server.script(calls("todo", {}), calls("todo", {}), says("That is all."));
    await stage.run(ask, {
      env: {
        HERMES_EPHEMERAL_SYSTEM_PROMPT: "Speak like a butler.",
        HERMES_PREFILL_MESSAGES_FILE: prefill,
        HERMES_MAX_ITERATIONS: "2",
      },
    });
    const [first] = server.requests;
    const system = JSON.stringify(first?.messages[0]);
    expect(system).toContain("butler");
    expect(system).not.toContain("pirate");
    expect(first?.messages.slice(1, 3)).toMatchObject(before);
    // Two steps, and a last word about them.
    expect(server.requests).toHaveLength(3);
  });
});

describe("--ignore-rules", () => {
  it("leaves character, memory and the files of the folder out of what the model is told [20:R7.10] [20:R8.1]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, quiet),
      files: { "AGENTS.md": "Use tabs, always.\n" },
    });
    await writeFile(path.join(stage.home, "SOUL.md"), "You are a sailor.\n");
    await mkdir(path.join(stage.home, "memories"));
    await writeFile(path.join(stage.home, "memories", "MEMORY.md"), "The boat is called Nausicaa.\n");
    server.otherwise(says("Aye."));
    const system = async (...more: string[]) => {
      const before = server.requests.length;
      await stage.run([...ask, "--trust-folder", ...more]);
      return JSON.stringify((await server.received(before + 1)).messages[0]);
    };
    const usual = await system();
    for (const words of ["Use tabs", "sailor", "Nausicaa"]) expect(usual).toContain(words);
    const without = await system("--ignore-rules");
    for (const words of ["Use tabs", "sailor", "Nausicaa"]) expect(without).not.toContain(words);
  });
});
