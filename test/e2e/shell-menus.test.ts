import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const down = "\x1b[B";
const savedSettings = (stage: Stage) => readFile(path.join(stage.home, "config.yaml"), "utf8");

describe("menus of the shell are lists with arrows and search", () => {
  it("hermes tools: Space switches what is pointed at, Enter saves", async () => {
    await using stage = await Stage.open();
    {
      await using terminal = new ProgramTerminal(stage, ["tools"]);
      const list = await terminal.sees(/Toolsets of cli[\s\S]*Space toggles · Enter saves · Esc/);
      expect(list).toMatch(/❯ \[x\] web [\s\S]* \[x\] browser/);
      terminal.press("todo");
      await terminal.sees(/❯ \[x\] todo/);
      terminal.press(" ");
      await terminal.sees(/❯ \[ \] todo/);
      terminal.press("\r");
      expect(await terminal.exited).toBe(0);
      expect(await terminal.text()).toMatch(/On for cli: \d+ toolsets\. This takes effect with the next session\./);
    }
    const listed = await stage.run(["tools", "list", "--json"]);
    expect(listed.stdout).toMatch(/"name": "todo",\s+"is_enabled": false/);
  });

  it("hermes tools: Esc leaves everything as it was", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["tools"]);
    await terminal.sees("Space toggles");
    terminal.press(" ");
    await terminal.sees(/❯ \[ \] /);
    terminal.press("\x1b");
    expect(await terminal.exited).toBe(0);
    expect(await terminal.text()).toContain("Nothing was changed.");
    await expect(savedSettings(stage)).rejects.toThrow("ENOENT");
  });

  it("hermes skills config: a skill that is switched off is offered no more, and is no command [20:R9.9]", async () => {
    await using stage = await Stage.open();
    // The skills that come with the program are there before the first chat.
    await using terminal = new ProgramTerminal(stage, ["skills", "config"]);
    await terminal.sees(/Skills[\s\S]*❯ \[x\] /);
    terminal.press(down);
    const shown = await terminal.sees(/\n\s+\[x\] [\s\S]*❯ \[x\] \S+/);
    const name = /❯ \[x\] (\S+)/.exec(shown)?.[1] ?? "";
    terminal.press(" ");
    await terminal.sees(`❯ [ ] ${name}`);
    const called = () => stage.run(["chat", "-q", `/${name}`, "-Q", "-m", "demo"]);
    expect((await called()).stdout).not.toContain("There is no command");
    terminal.press("\r");
    expect(await terminal.exited).toBe(0);
    expect((await called()).stdout).toContain(`There is no command /${name}`);
    expect(await savedSettings(stage)).toMatch(new RegExp(`disabled:\\s*(?:\\[ ?|- )${name}`));
  });

  it("hermes setup: the provider is searched for, the key is shown as dots, and what was chosen answers", async () => {
    await using server = await startModelServer({ models: [{ id: "lab-large" }, { id: "lab-small" }] });
    server.otherwise(says("Ready."));
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["setup", "model"]);
    await terminal.sees(/Which provider\?[\s\S]*OpenRouter[\s\S]*Anthropic[\s\S]*OpenAI/);
    terminal.press("custom");
    await terminal.sees(/❯ +Custom endpoint/);
    terminal.press("\r");
    await terminal.sees("Address of the server");
    terminal.press(`localhost:${new URL(server.url).port}\r`);
    await terminal.sees("Key (empty for none)");
    terminal.press("sk-lab-0123456789");
    await terminal.sees("•••••");
    terminal.press("\r");
    await terminal.sees("Which model?");
    terminal.press("small\r");
    await terminal.sees("Context length in tokens");
    terminal.press("\r");
    await terminal.sees("It answers");
    expect(await terminal.exited).toBe(0);
    const text = await terminal.text();
    expect(text).not.toContain("sk-lab-0123456789");
    expect(text).not.toMatch(/TELEGRAM|DISCORD|SLACK/);
    expect(await stage.run(["-z", "hi"])).toMatchObject({ code: 0, stdout: "Ready.\n" });
  });

  it("hermes setup: model, messaging, what was set up, and the first chat [20:R11.1]", async () => {
    await using server = await startModelServer({ models: [{ id: "lab-small" }] });
    server.otherwise(says("Welcome."));
    await using telegram = await startTelegramServer();
    const config = `${modelConfig(server.chatBaseUrl)}\ntelegram: { base_url: "${telegram.url}" }`;
    await using stage = await Stage.open({ config });
    await using terminal = new ProgramTerminal(stage, ["setup"]);
    await terminal.sees(/How much do you want to set up\?[\s\S]*Quick[\s\S]*Full/);
    terminal.press("\r");
    await terminal.sees("Which provider?");
    terminal.press("leave");
    await terminal.sees(/❯ +Leave unchanged/i);
    terminal.press("\r");
    await terminal.sees("from a chat platform too");
    terminal.press("yes\r");
    await terminal.sees("Which platform?");
    terminal.press("telegram\r");
    await terminal.sees("Bot token");
    terminal.press(`${telegram.token}\r`);
    await terminal.sees("Your numeric user id");
    terminal.press("\r");
    // Setup goes on, so a gateway that would hold it up is not offered.
    expect(await terminal.sees(/Telegram knows it as [\s\S]*And now\?[\s\S]*Nothing now/)).not.toContain(
      "Serve it here",
    );
    terminal.press("nothing\r");
    await terminal.sees(
      /Model: custom: fake-model[\s\S]*on this machine[\s\S]*Chat platforms: Telegram[\s\S]*Start a chat now\?/,
    );
    terminal.press("\r");
    await terminal.answers("❯");
    await terminal.say("Hello.");
    await terminal.answers("Welcome.");
  });
});
