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
    await terminal.sees(/OpenRouter[\s\S]*Anthropic[\s\S]*OpenAI/);
    terminal.press("custom");
    await terminal.sees(/❯ +Custom endpoint/);
    terminal.press("\r");
    await terminal.sees("Address of the server");
    await terminal.say(`localhost:${port}`);
    await terminal.sees(/2 models at [\s\S]*Use the address/);
    terminal.press("\r");
    await terminal.sees("Key (empty for none)");
    terminal.press("sk-lab-0123456789");
    await terminal.sees("•••••");
    terminal.press("\r");
    await terminal.sees("Which model?");
    terminal.press("small");
    await terminal.sees(/❯ +lab-small/);
    terminal.press("\r");
    await terminal.sees("Context length");
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
