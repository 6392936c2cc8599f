import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

describe("connecting a model inside the chat", () => {
  it("/connect searches a list, tries what was chosen and uses it at once", async () => {
    await using server = await startModelServer({ models: [{ id: "lab-large" }, { id: "lab-small" }] });
    server.otherwise(says("Ready."));
    const { port } = new URL(server.url);
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.answers(/demo/i);
    await terminal.say("/connect");
    await terminal.sees("Esc)");
    // What is out of sight is named.
    await terminal.sees(/OpenRouter[\s\S]*Anthropic[\s\S]*OpenAI[\s\S]*╰─ ↓ \d+ more ─/);
    terminal.press("custom");
    await terminal.sees(/❯ +Custom endpoint/);
    terminal.press("\r");
    await terminal.sees("Address of the server");
    await terminal.say(`localhost:${port}`);
    // What answers there is not asked for again.
    await terminal.sees(/2 models at [^\n]*\n+Key \(empty for none\)/);
    terminal.press("sk-lab-0123456789");
    await terminal.sees("•••••");
    terminal.press("\r");
    await terminal.sees("Which model?");
    terminal.press("small");
    await terminal.sees(/❯ +lab-small/);
    terminal.press("\r");
    await terminal.sees("Context length in tokens (not reported by the server");
    terminal.press("\r");
    await terminal.sees("It answers");
    await terminal.sees("Now using lab-small");
    // The status line names it before anything was asked.
    await terminal.sees(/⚕ lab-small/);
    await terminal.say("hello");
    await terminal.answers("Ready.");
    expect(server.requests.at(-1)?.model ?? "lab-small").toBe("lab-small");
    expect(await terminal.text()).not.toContain("sk-lab-0123456789");
    expect(await readFile(path.join(stage.home, "config.yaml"), "utf8")).toContain(`local-${port}`);
    await terminal.say("/status");
    const status = (await terminal.answers(/Open for/)).split("/status").at(-1);
    expect(status).toMatch(new RegExp(`Model +│ lab-small — local-${port} *\\n`));
    expect(status).not.toMatch(/demo|built in/);
  });

  it.each([
    ["by its list", { models: [{ id: "lab-large", extra: { context_length: 200_000 } }] }, "200,000", "200K"],
    [
      "by how llama.cpp was started, not by what the model could do",
      {
        models: [{ id: "lab-large", extra: { meta: { n_ctx_train: 131_072 } } }],
        localServer: { kind: "llama-cpp", contextSize: 81_920 },
      },
      "81,920",
      "82K",
    ],
    [
      "by what Ollama shows of the model",
      { models: [{ id: "lab-large", contextLength: 131_072 }], localServer: { kind: "ollama", numCtx: 65_536 } },
      "65,536",
      "66K",
    ],
  ] as const)("does not ask for a window that the server tells, %s", async (_how, options, window, inStatus) => {
    await using server = await startModelServer(options);
    server.otherwise(says("Ready."));
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.answers(/demo/i);
    await terminal.say("/connect");
    await terminal.sees("Esc)");
    terminal.press("custom");
    await terminal.sees(/❯ +Custom endpoint/);
    terminal.press("\r");
    await terminal.sees("Address of the server");
    await terminal.say(`localhost:${new URL(server.url).port}`);
    await terminal.sees(/1 model at [^\n]*\n+Key \(empty for none\)/);
    terminal.press("\r");
    await terminal.sees(/❯ +lab-large/);
    terminal.press("\r");
    await terminal.sees(`Context length: ${window} tokens, reported by the server.`);
    await terminal.sees("Now using lab-large");
    const text = await terminal.text();
    expect(text).not.toContain("does not say");
    // The status line counts against that window from the beginning.
    await terminal.sees(new RegExp(`⚕ lab-large[^\\n]*/${inStatus} `));
  });

  it("leaves everything as it is when nothing is chosen", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.answers(/demo/i);
    await terminal.say("/login");
    await terminal.sees("Which provider?");
    await terminal.sees("Esc)");
    terminal.press("\x1b");
    await terminal.answers("Cancelled; the model is unchanged.");
  });
});
