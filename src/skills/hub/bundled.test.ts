import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scanFolder } from "../guard/scan.ts";
import { readLinkedFile } from "../library/linked-files.ts";
import { readSkillText } from "../library/skill.ts";
import { libraryAt, noSettings, signal, skillMd, type TemporaryHome, temporaryHome } from "../testing.ts";
import { resetBundledSkill, syncBundledSkills } from "./bundled.ts";

const shippedFolder = join(import.meta.dirname, "..", "..", "..", "skills");

let location: TemporaryHome;
beforeEach(async () => {
  location = await temporaryHome();
});
afterEach(() => location[Symbol.asyncDispose]());

describe("copying shipped skills", () => {
  const sync = () => syncBundledSkills(location.home.at("shipped"), location.home, signal);
  const textOf = (path: string): Promise<string> => readFile(location.home.at("skills", path), "utf8");

  it("[10:SKILL-12] new ones come, unchanged ones are updated, changed ones stay, deleted ones stay away", async () => {
    await location.write({
      "shipped/c/a/SKILL.md": skillMd("a"),
      "shipped/c/b/SKILL.md": skillMd("b"),
      "shipped/c/d/SKILL.md": skillMd("d"),
      "shipped/c/own/SKILL.md": skillMd("own"),
      "shipped/c/DESCRIPTION.md": "---\ndescription: C\n---\n",
      "skills/c/own/SKILL.md": "mine",
    });
    expect(await sync()).toEqual({ added: ["a", "b", "d"], updated: [], kept: ["own"], absent: [] });
    expect(await sync()).toEqual({ added: [], updated: [], kept: ["own"], absent: [] });
    await location.write({
      "skills/c/b/SKILL.md": "changed by me",
      "shipped/c/a/SKILL.md": skillMd("a", { version: "2" }),
      "shipped/c/a/references/new.md": "new",
      "shipped/c/b/SKILL.md": skillMd("b", { version: "2" }),
    });
    await rm(location.home.at("skills", "c", "d"), { recursive: true });
    expect(await sync()).toEqual({ added: [], updated: ["a"], kept: ["b", "own"], absent: ["d"] });
    expect([
      await textOf("c/b/SKILL.md"),
      await textOf("c/own/SKILL.md"),
      await textOf("c/a/references/new.md"),
    ]).toEqual(["changed by me", "mine", "new"]);
    expect(await textOf("c/DESCRIPTION.md")).toContain("C");
  });

  it("[10:SKILL-12] reset makes the present text the baseline, or brings the shipped one back", async () => {
    await location.write({ "shipped/c/a/SKILL.md": skillMd("a") });
    await sync();
    await location.write({ "skills/c/a/SKILL.md": "changed", "shipped/c/a/SKILL.md": skillMd("a", { version: "2" }) });
    const reset = (restore: boolean) =>
      resetBundledSkill({ name: "a", restore, shippedFolder: location.home.at("shipped") }, location.home, signal);
    expect(await reset(false)).toBe("rebaselined");
    expect((await sync()).updated).toEqual(["a"]);
    await rm(location.home.at("skills", "c", "a"), { recursive: true });
    expect(await reset(true)).toBe("restored");
    expect(await textOf("c/a/SKILL.md")).toContain('"2"');
    await expect(
      resetBundledSkill(
        { name: "zz", restore: true, shippedFolder: location.home.at("shipped") },
        location.home,
        signal,
      ),
    ).rejects.toThrow(/not one of/);
  });
});

describe("the skills that ship with Hermes", () => {
  const shipped = async () => {
    const { library } = libraryAt(location.home, {
      settings: () => ({ ...noSettings, externalDirs: [shippedFolder] }),
    });
    return { library, skills: (await library.catalogue(signal)).skills };
  };

  it("are at least twelve, valid, within limits, safe to the guard, and refer to each other truly", async () => {
    const { skills } = await shipped();
    expect(skills.length).toBeGreaterThanOrEqual(12);
    const names = new Set(skills.map((one) => one.name));
    for (const skill of skills) {
      const text = await readFile(skill.file, "utf8");
      const { problems, facts, body } = await readSkillText(text, "");
      expect(problems, skill.name).toEqual([]);
      expect(skill.folder.endsWith(`/${skill.category}/${skill.name}`), skill.folder).toBe(true);
      expect(facts.description.length, skill.name).toBeLessThanOrEqual(60);
      expect(body.split("\n").length, skill.name).toBeLessThanOrEqual(200);
      expect(facts.capabilities, skill.name).toBeDefined();
      expect(
        facts.relatedSkills.filter((one) => !names.has(one)),
        skill.name,
      ).toEqual([]);
      const { findings } = await scanFolder(skill.folder);
      expect(findings, skill.name).toEqual([]);
      for (const [path] of text.matchAll(/\b(?:references|scripts|templates)\/[\w-]+\.(?:md|py)\b/g))
        expect((await readLinkedFile(skill.folder, path)).kind, `${skill.name}: ${path}`).toBe("text");
    }
  });

  it("cost less than 900 tokens in the prompt", async () => {
    const { library } = await shipped();
    const tools = new Set(["cronjob", "terminal"]);
    const text = (await library.indexBlock({ tools, toolsets: new Set() }, "cli", signal)) ?? "";
    expect(text).toContain("schedule-a-job");
    // Four characters per token is the usual measure for English text.
    expect(text.length / 4).toBeLessThan(900);
  });
});
