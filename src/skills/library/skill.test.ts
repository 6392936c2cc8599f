import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isForPlatform, isWanted } from "./conditions.ts";
import { readSkillText } from "./skill.ts";

const conditions = (yaml: string) => readSkillText(`---\nname: a\ndescription: b\n${yaml}\n---\nbody`, "a");

describe("reading a SKILL.md", () => {
  it("[10:SKILL-1] reads every field, also in its older spellings", async () => {
    const { facts, problems, body } = await readSkillText(
      `---
name: gif-search
description: Find a GIF
version: 1.2
platforms: [macos, linux]
compatibility: Needs a network
required_environment_variables:
  - TENOR_API_KEY
  - { name: GIPHY_KEY, prompt: Key, help: See the site, required_for: search, optional: true }
required_credential_files:
  - { path: google/token.json, description: Token }
prerequisites:
  env_vars: [OLD_KEY, TENOR_API_KEY]
  commands: [jq]
setup:
  collect_secrets:
    - { env_var: OTHER_KEY, prompt: Other }
metadata:
  hermes:
    tags: images, fun
    related_skills: [other]
    requires_toolsets: [web]
    config:
      - { key: gif.rating, description: Rating, default: g }
---

Body
`,
      "folder",
    );
    expect(problems).toEqual([]);
    expect(body.trim()).toBe("Body");
    expect(facts).toMatchObject({
      name: "gif-search",
      version: "1.2",
      platforms: ["macos", "linux"],
      commands: ["jq"],
      tags: ["images", "fun"],
      relatedSkills: ["other"],
      credentialFiles: [{ path: "google/token.json", description: "Token" }],
      settings: [{ key: "gif.rating", description: "Rating", fallback: "g" }],
    });
    expect(facts.variables.map((one) => [one.name, one.isOptional])).toEqual([
      ["TENOR_API_KEY", false],
      ["GIPHY_KEY", true],
      ["OLD_KEY", false],
      ["OTHER_KEY", false],
    ]);
  });

  it("[10:SKILL-1] broken YAML falls back to its plain lines", async () => {
    const { facts } = await readSkillText("---\nname: broken\ndescription: Use: when [it breaks\n---\nBody", "folder");
    expect(facts).toMatchObject({ name: "broken", description: "Use: when [it breaks" });
  });

  it("[10:SKILL-1] a head of any length is read whole", async () => {
    const filler = Array.from({ length: 3_000 }, (_, index) => `key${index}: value`).join("\n");
    const { facts } = await readSkillText(`---\nname: long\n${filler}\ndescription: At the end\n---\nBody`, "folder");
    expect(facts.description).toBe("At the end");
  });

  it.each([
    ["no head", "Body only", /begin with/],
    ["an open head", "---\nname: a\ndescription: b\nBody", /not closed/],
    ["no description", "---\nname: a\n---\nBody", /no description/],
    ["no body", "---\nname: a\ndescription: b\n---\n  \n", /no instructions/],
    ["a long name", `---\nname: ${"a".repeat(65)}\ndescription: b\n---\nBody`, /64/],
    ["a long description", `---\nname: a\ndescription: ${"b".repeat(1_025)}\n---\nBody`, /1024/],
  ])("names what is wrong: %s", async (_name, text, expected) => {
    expect((await readSkillText(text, "folder")).problems.join()).toMatch(expected);
  });

  it("never throws, and names stay on one short line", async () => {
    const piece = fc.constantFrom(
      "---\n",
      "name: ",
      "description: ",
      "metadata:\n",
      "  hermes: ",
      "[",
      "{",
      "&a ",
      "*a",
      "\n",
      "\0",
      "é",
      "- x",
      ": ",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(piece, fc.string({ maxLength: 12 })), { maxLength: 20 }), async (parts) => {
        const { facts } = await readSkillText(parts.join(""), "folder");
        expect(facts.name).not.toMatch(/\n/);
        expect(facts.name.length).toBeLessThanOrEqual(64);
        expect(facts.description.length).toBeLessThanOrEqual(1_024);
      }),
      { numRuns: 150 },
    );
  });

  it("[10:A8.2] conditions look at tools and toolsets", async () => {
    const web = (await conditions("metadata: {hermes: {requires_toolsets: [web]}}")).facts.conditions;
    const fallback = (await conditions("fallback_for_tools: [web_search]")).facts.conditions;
    const none = { tools: new Set<string>(), toolsets: new Set<string>() };
    const some = { tools: new Set(["web_search"]), toolsets: new Set(["web"]) };
    expect([isWanted(web, none), isWanted(web, some)]).toEqual([false, true]);
    expect([isWanted(fallback, none), isWanted(fallback, some)]).toEqual([true, false]);
  });

  it("[10:A8.3] platforms", async () => {
    const { facts } = await conditions("platforms: [macos]");
    expect([isForPlatform(facts, "macos"), isForPlatform(facts, "linux"), isForPlatform(facts, undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
