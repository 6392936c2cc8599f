import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { calls, type ModelServer, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const quiet = "auxiliary:\n  title_generation: {enabled: false}\n";

/** The places of these words in a text, in the order they are named; each stands once. */
function placesOf(text: string, words: readonly string[]): readonly number[] {
  for (const word of words) expect([word, text.split(word).length - 1]).toEqual([word, 1]);
  return words.map((word) => text.indexOf(word));
}

it("the prompt of a chat has every layer that has something to say, in its order, and none twice [10:PROMPT-3] [10:PROMPT-6] [10:PROMPT-7] [10:PROMPT-8] [10:PROMPT-15] [10:A3.2]", async () => {
  await using server = await startModelServer({ models: [{ id: "gpt-5.4" }] });
  await using stage = await Stage.open({
    config: modelConfig(server.chatBaseUrl, `timezone: Asia/Tokyo\n${quiet}`).replace(
      "fake-model",
      "gpt-5.4\n  api_mode: chat_completions",
    ),
    files: { "AGENTS.md": "Walnut rules.\n" },
  });
  const put = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(stage.home, name)), { recursive: true });
    await writeFile(path.join(stage.home, name), text);
  };
  await put("SOUL.md", "I am Iris, keeper of lists.\n");
  await put("memories/MEMORY.md", "The boat is called Nausicaa.\n");
  await put("memories/USER.md", "She likes tea.\n");
  await put("skills/boats/SKILL.md", "---\nname: boats\ndescription: How to sail a dinghy.\n---\nSail.\n");
  server.otherwise(says("Aye."));
  await stage.run(["chat", "-q", "hi", "-Q", "--trust-folder", "--pass-session-id"]);
  const [first] = (await server.received(1)).messages;
  expect(first?.["role"]).toBe("developer");
  const text = String(first?.["content"]);
  expect(text.startsWith("I am Iris, keeper of lists.\n\n")).toBe(true);
  expect(text).not.toContain("You are Hermes");
  const places = placesOf(text, [
    ...["I am Iris", "Your memory outlives this session", "Nausicaa", "She likes tea", "How to sail a dinghy"],
    ...["# Project Context", "Walnut rules.", "Conversation started: ", "Session ID: ", "Model: gpt-5.4", "plain text"],
  ]);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(text).toContain("(Asia/Tokyo)");
  expect(text.match(/# Working habits/g)).not.toBeNull();
});

it("without files of a person it says who Hermes is, and a project is found as the rules say [10:PROMPT-5] [10:PROMPT-9] [10:PROMPT-10] [10:A3.3] [10:A3.5]", async () => {
  await using server = await startModelServer({ strict: true });
  await using stage = await Stage.open({
    config: modelConfig(server.chatBaseUrl, quiet),
    files: {
      "project/.git/HEAD": "ref: refs/heads/main\n",
      "project/.hermes.md": "---\nmodel: x\n---\nRoot rules.\n",
      "project/sub/AGENTS.md": "Sub rules.\n",
    },
  });
  server.otherwise(says("Hello."));
  await stage.run(["chat", "-q", "hi", "-Q", "--cwd", path.join(stage.work, "project", "sub"), "--trust-folder"]);
  const text = (await server.received(1)).systemText;
  for (const words of ["Hermes", "Nous Research", "helpful", "when you are not sure", "more than length"])
    expect(text).toContain(words);
  expect(text).toContain("## ../.hermes.md\n\nRoot rules.");
  expect(text).not.toMatch(/model: x|Sub rules/);
});

it("instructions of a folder come with the first result that leads there, and not into the prompt [10:PROMPT-13] [10:A3.8]", async () => {
  await using server = await startModelServer({ strict: true });
  await using stage = await Stage.open({
    config: modelConfig(server.chatBaseUrl, quiet),
    files: {
      "backend/AGENTS.md": "Use the repository pattern.\n",
      "backend/src/a.ts": "a\n",
      "backend/src/b.ts": "b\n",
    },
  });
  server.script(
    calls("read_file", { path: "backend/src/a.ts" }),
    calls("read_file", { path: "backend/src/b.ts" }),
    says("Read."),
  );
  await stage.run(["chat", "-q", "read them", "-Q", "--trust-folder"]);
  const last = await server.received(3);
  const results = last.messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
  expect(results[0]).toMatch(/\[Instructions found in backend\/AGENTS\.md\]\nUse the repository pattern\.$/);
  expect(results[1]).not.toContain("repository pattern");
  expect(last.systemText).not.toContain("repository pattern");
});

const boats = { "boats/SKILL.md": "---\nname: boats\ndescription: How to sail.\n---\nTack before the rocks.\n" };

/** A home with the skills in it. */
async function withSkills(model: ModelServer): Promise<Stage> {
  const stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, quiet) });
  for (const [name, text] of Object.entries(boats)) {
    const file = path.join(stage.home, "skills", name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return stage;
}

it("a skill preloaded at the start holds in every request and stands in no stored prompt [10:SKILL-9]", async () => {
  await using server = await startModelServer({ strict: true });
  await using stage = await withSkills(server);
  server.script(says("Aye to first."), says("Aye to second."));
  await using terminal = new ProgramTerminal(stage, ["chat", "-s", "boats"]);
  await terminal.sees("❯");
  for (const line of ["first", "second"]) {
    await terminal.say(line);
    await terminal.answers(`Aye to ${line}.`);
  }
  for (const request of server.requests) expect(request.systemText).toContain("Tack before the rocks.");
  await terminal.say("/quit");
  await terminal.exited;
  const { stdout } = await stage.run(["sessions", "export", "-"]);
  expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ system_prompt: expect.any(String) });
  expect(stdout).not.toContain("Tack before the rocks.");
});

it("a skill called by its name sends its text with the words; what is stored is the line as typed [10:SKILL-7] [10:SKILL-8]", async () => {
  await using server = await startModelServer({ strict: true });
  await using stage = await withSkills(server);
  server.otherwise(says("Aye."));
  await using terminal = new ProgramTerminal(stage, []);
  await terminal.sees("❯");
  await terminal.say("/boats north please");
  await terminal.answers("Aye.");
  const sent = JSON.stringify((await server.received(1)).messages.at(-1));
  for (const part of ["Tack before the rocks.", path.join(stage.home, "skills", "boats"), "north please"])
    expect(sent).toContain(part);
  await terminal.say("/quit");
  await terminal.exited;
  const { stdout } = await stage.run(["sessions", "export", "-"]);
  expect(stdout).toContain('"/boats north please"');
  expect(stdout).not.toContain("Tack before the rocks.");
});
