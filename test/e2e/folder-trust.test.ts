import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const files = {
  "AGENTS.md": "Answer in rhymes.\n",
  ".env": "PROJECT_API_KEY=sk-project-0123456789\n",
  ".hermes/agents/poet.md": "---\nname: poet\ndescription: Writes rhymes.\n---\nWrite.\n",
};
// So that every request is a turn.
const untitled = "auxiliary: { title_generation: { enabled: false } }\n";
const question = "Do you trust the files in this folder?";

async function world() {
  const server = await startModelServer({ strict: true });
  server.otherwise(says("Hello."));
  const stage = await Stage.open({ config: modelConfig(server.chatBaseUrl, untitled), files });
  return {
    server,
    stage,
    /** Whether the model was told the words of the folder as instructions; undefined where it was not told at all. */
    follows: async (count: number): Promise<boolean | undefined> => {
      const system = JSON.stringify((await server.received(count)).messages[0]);
      return system.includes("Answer in rhymes.")
        ? !system.includes("has not said that they may instruct you")
        : undefined;
    },
    [Symbol.asyncDispose]: async () => {
      await stage[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const ask = ["chat", "-q", "hi", "-Q"];

describe("whether a folder's own files count", () => {
  it.each([
    ["by nobody's word", "", [], {}, false],
    ["by a flag, for one run", "", ["--trust-folder"], {}, true],
    ["by a setting", "security:\n  trusted_folders: [FOLDER]\n", [], {}, true],
    ["by a variable of the person", "", [], { HERMES_TRUSTED_FOLDERS: "FOLDER" }, true],
  ])("in a script: %s", async (_, setting, flags, env: Readonly<Record<string, string>>, isTrusted) => {
    await using it = await world();
    const { stage, server } = it;
    await stage.configure(modelConfig(server.chatBaseUrl, untitled + setting.replace("FOLDER", stage.work)));
    const set = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value.replace("FOLDER", stage.work)]),
    );
    const ran = await stage.run([...ask, ...flags], { env: set });
    expect(ran).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect(await it.follows(1)).toBe(isTrusted);
    expect(/trust/.test(ran.stderr)).toBe(!isTrusted);
    // Neither a flag nor a setting is an answer for good.
    expect((await stage.run(["trust", "list"])).stdout).not.toContain("since");
  });

  it("is kept by hermes trust add, shown by list, and taken back by remove", async () => {
    await using it = await world();
    const { stage } = it;
    expect((await stage.run(["trust", "list"])).stdout).toContain("This folder is not trusted.");
    expect(await stage.run(["trust", "add"])).toMatchObject({ code: 0 });
    const listed = (await stage.run(["trust", "list"])).stdout;
    expect(listed).toContain(`${stage.work}  since`);
    expect(listed).toContain("This folder is trusted.");
    await stage.run(ask);
    expect(await it.follows(1)).toBe(true);
    expect(await stage.run(["trust", "remove"])).toMatchObject({ code: 0 });
    await stage.run(ask);
    expect(await it.follows(2)).toBe(false);
  });

  it.each([
    ["a", true],
    ["d", false],
  ])("is asked once in a terminal, and the answer %s is kept", async (key, isTrusted) => {
    await using it = await world();
    for (const turn of [1, 2]) {
      await using terminal = new ProgramTerminal(it.stage, []);
      if (turn === 1) {
        await terminal.sees(question);
        await terminal.choose(key);
      }
      await terminal.sees("❯");
      await terminal.say("Hi.");
      const text = await terminal.answers("Hello.");
      if (turn === 2) expect(text).not.toContain(question);
      expect(await it.follows(turn)).toBe(isTrusted);
      terminal.press("\u0004");
      await terminal.exited;
    }
  });
});
