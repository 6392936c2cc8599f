import { describe, expect, it } from "vitest";
import { signal } from "../testing.ts";
import { preprocess } from "./preprocess.ts";

const base = { skillFolder: "/tmp", hasTemplateVars: true, signal };

describe("filling a skill's text", () => {
  it("[10:SKILL-4] placeholders stay when unknown or switched off", async () => {
    const text = "$" + "{HERMES_SKILL_DIR} $" + "{HERMES_SESSION_ID} $" + "{OTHER}";
    expect(await preprocess(text, { ...base, sessionId: "s$1" })).toBe("/tmp s$1 $" + "{OTHER}");
    expect(await preprocess(text, base)).toBe("/tmp $" + "{HERMES_SESSION_ID} $" + "{OTHER}");
    expect(await preprocess(text, { ...base, hasTemplateVars: false, sessionId: "s" })).toBe(text);
  });

  it("[10:SKILL-4] output is inserted as it is: what a command prints makes no further command run", async () => {
    const ran: string[] = [];
    const text = await preprocess("!`one` and !`two`", {
      ...base,
      inlineShell: (command) => {
        ran.push(command);
        return Promise.resolve(
          command === "one" ? { kind: "output", text: "!`evil`" } : { kind: "failed", reason: "no" },
        );
      },
    });
    expect(ran).toEqual(["one", "two"]);
    expect(text).toBe("!`evil` and [command failed: no]");
  });

  it("[10:SKILL-4] output is cut at 4,000 characters", async () => {
    const text = await preprocess("!`x`", {
      ...base,
      inlineShell: () => Promise.resolve({ kind: "output", text: "y".repeat(9_000) }),
    });
    expect(text.length).toBeLessThanOrEqual(4_000);
  });
});
