import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const quiet = "auxiliary: { title_generation: { enabled: false } }\n";
const truecolor = { COLORTERM: "truecolor" };
const gold = "38;2;255;215;95";
const ink = "38;2;18;64;111";
/** The key by itself, as keyboards of today send it: not the beginning of something else. */
const escapeKey = "\x1b[27u";
const question = "\x1b]11;?";

describe("the colours", () => {
  it("suit a light terminal, once it has said that it is one", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["-m", "demo"], truecolor);
    await terminal.sees("❯");
    expect(terminal.written).toContain(question);
    terminal.press("\x1b]11;rgb:ffff/ffff/ffff\x07");
    await terminal.say("hello there");
    await terminal.answers("Connect a");
    const written = terminal.written.slice(terminal.written.indexOf("hello there"));
    expect(written).toContain(ink);
    expect(written).not.toContain(gold);
    expect(await terminal.text()).not.toContain("ffff");
  });

  it("suit a light terminal from the first frame where the environment names its background", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["-m", "demo"], { ...truecolor, COLORFGBG: "0;15" });
    await terminal.sees("❯");
    expect(terminal.written).toContain(ink);
    expect(terminal.written).not.toContain(gold);
  });

  it("stay those of the skin a person chose", async () => {
    await using stage = await Stage.open({ config: "display: { skin: slate }\n" });
    await using terminal = new ProgramTerminal(stage, ["-m", "demo"], { ...truecolor, COLORFGBG: "0;15" });
    await terminal.sees("❯");
    expect(terminal.written).toContain("38;2;156;196;234");
    await terminal.say("/skin");
    await terminal.sees(/❯ ● slate +Cool blue and grey/);
    terminal.press("colour-blind");
    await terminal.sees(/❯ +colour-blind +Blue for good, orange for bad/);
  });

  it("of high contrast dim nothing", async () => {
    await using stage = await Stage.open({ config: "display: { skin: high-contrast }\n" });
    await using terminal = new ProgramTerminal(stage, ["-m", "demo"], truecolor);
    await terminal.sees("? shows the keys");
    await terminal.say("list files");
    await terminal.answers("Files in this folder");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what switches dimmed text on
    expect(terminal.written).not.toMatch(/\x1b\[(?:1;)?2[;m]/);
  });

  it("are not asked for where the question would be written out", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["-m", "demo"], { TERM: "linux" });
    await terminal.sees("❯");
    expect(terminal.written).not.toContain(question);
  });
});

describe("F1", () => {
  it("finds a command by a word of its description, and runs it", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["-m", "demo"]);
    await terminal.sees("? shows the keys");
    terminal.press("\x1bOP");
    await terminal.sees(/─ Commands ─/);
    terminal.press("context window");
    await terminal.sees(/❯ +\/context/);
    terminal.press("\r");
    await terminal.sees(/● \/context[\s\S]*The last request|● \/context[\s\S]*tools/);
  });

  it("puts a command that needs words into the line, where they are typed", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["-m", "demo"]);
    await terminal.sees("? shows the keys");
    terminal.press("\x1bOP");
    await terminal.sees(/─ Commands ─/);
    terminal.press("/queue");
    await terminal.sees(/❯ +\/queue <prompt>/);
    terminal.press("\r");
    expect(await terminal.sees(/\n❯ \/queue\s*\n/)).not.toContain("● /queue");
  });
});

describe("Esc twice on an empty line", () => {
  it("lists the messages to go back to; with a text in the line it keeps the text", async () => {
    await using model = await startModelServer();
    model.otherwise(says("Noted."));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, quiet) });
    {
      await using before = new ProgramTerminal(stage, []);
      await before.sees("❯");
      await before.say("the green door");
      await before.answers("Noted.");
      before.press("\x04");
      await before.exited;
    }
    await using terminal = new ProgramTerminal(stage, ["-c"]);
    await terminal.answers("the green door");
    terminal.press(`a draft${escapeKey}${escapeKey}!`);
    expect(await terminal.sees("❯ a draft!")).not.toContain("/rewind");
    terminal.press("\x15");
    await terminal.sees(/\n❯\s*\n─+\s*$/);
    terminal.press(`${escapeKey}${escapeKey}`);
    await terminal.sees(/Go back to before[\s\S]*❯ +the green door/);
    terminal.press("\r");
    await terminal.sees("Went back to before");
  });
});

describe("vi keys", () => {
  it("edit the line where they were asked for, and say in which mode it is", async () => {
    await using model = await startModelServer();
    model.otherwise(says("Noted."));
    const config = modelConfig(model.chatBaseUrl, `${quiet}display: { vim_mode: true }\n`);
    await using stage = await Stage.open({ config });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("? shows the keys");
    terminal.press(`the green door${escapeKey}`);
    await terminal.sees(/\nNORMAL ❯ the green door/);
    terminal.press("0wcwyellow");
    await terminal.sees(/\n❯ the yellow door/);
    terminal.press(escapeKey);
    await terminal.sees(/\nNORMAL ❯ the yellow door/);
    terminal.press("u");
    await terminal.sees(/\nNORMAL ❯ the yello door/);
    terminal.press("A!\r");
    await terminal.answers(/● the yello door![\s\S]*Noted\./);
    expect((await model.received(1)).messages.at(-1)).toMatchObject({ role: "user", content: "the yello door!" });
  });
});
