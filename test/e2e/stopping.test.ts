import { describe, expect, it } from "vitest";
import { hangAfter, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

describe("stopping the built program", () => {
  it("Esc stops an answer; it is kept and marked, and the next request does not repeat the old one [20:R10.19] [10:LOOP-22]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    model.otherwise(says("Here you are."));
    {
      await using terminal = new ProgramTerminal(stage, []);
      await terminal.sees("❯");
      model.script(hangAfter({ events: 6 }, says("Half of a long answer.", { fragments: 8 })));
      await terminal.say("slow go");
      await terminal.sees("Half");
      terminal.press("\x1b");
      await terminal.answers("Stopped. What should Hermes do instead?");
      // Too late to stop anything: it says what another one would do, and does nothing else.
      terminal.press("\x03");
      await terminal.sees("press Ctrl-C again to leave");
      await terminal.say("hello after stop");
      await terminal.answers("Here you are.");
      const sent = (model.requests.findLast(({ messages }) =>
        JSON.stringify(messages).includes("(interrupted by the user)"),
      )?.messages ?? []) as readonly {
        readonly role: string;
        readonly content: unknown;
      }[];
      const spoken = sent.filter(({ role }) => role !== "system");
      expect(spoken.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      expect(JSON.stringify(spoken[1])).toMatch(/Half.*interrupted by the user/);
      expect(JSON.stringify(spoken[2])).not.toContain("slow go");
      terminal.press("\x04");
      await terminal.exited;
    }
    await using again = new ProgramTerminal(stage, ["-c"]);
    await again.sees(/Half[\s\S]*interrupted by the user/);
  });
});
