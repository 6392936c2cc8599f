import { readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skillCommands, slugOf } from "../load/slash.ts";
import { libraryAt, noSettings, signal, skillMd, type TemporaryHome, temporaryHome } from "../testing.ts";
import { renderIndex } from "./index-block.ts";
import { IndexCache } from "./index-cache.ts";

const none = { tools: new Set<string>(), toolsets: new Set<string>() };

let location: TemporaryHome;
beforeEach(async () => {
  location = await temporaryHome();
});
afterEach(() => location[Symbol.asyncDispose]());

describe("the prompt index", () => {
  it("[10:A8.1] [10:SKILL-5] cuts a long description to 57 characters and three dots, under its category", async () => {
    await location.write({
      "skills/research/arxiv/SKILL.md": skillMd("arxiv", { description: "x".repeat(90) }),
      "skills/loose/SKILL.md": skillMd("loose", { description: "y".repeat(60) }),
      "skills/a/b/deep/SKILL.md": skillMd("deep"),
      "skills/a/DESCRIPTION.md": "---\ndescription: First letters\n---\n",
      "skills/.git/hidden/SKILL.md": skillMd("hidden"),
      "skills/.hub/quarantine/q/SKILL.md": skillMd("quarantined"),
    });
    const text = (await libraryAt(location.home).library.indexBlock(none, "cli", signal)) ?? "";
    expect(text.startsWith("## Skills (mandatory)\n")).toBe(true);
    expect(text).toContain(
      [
        "<available_skills>",
        "  a/b:",
        "    - deep: How to deep",
        "  general:",
        `    - loose: ${"y".repeat(60)}`,
        "  research:",
        `    - arxiv: ${"x".repeat(57)}...`,
        "</available_skills>",
      ].join("\n"),
    );
    expect(text).not.toMatch(/hidden|quarantined/);
  });

  it("[10:SKILL-5] shows the text of a category, and a skill without a description by its name", () => {
    const text = renderIndex(
      [
        { name: "b", description: "", category: "c" },
        { name: "a", description: "x </available_skills> y", category: "c" },
      ],
      new Map([["c", "About c"]]),
    );
    expect(text).toContain("  c: About c\n    - a: x  y\n    - b\n</available_skills>");
  });

  it("[10:SKILL-5] no skills, no layer", async () => {
    expect(await libraryAt(location.home).library.indexBlock(none, "cli", signal)).toBeUndefined();
  });

  it("[10:A8.2] hides what is not wanted from the index and not from the list", async () => {
    await location.write({
      "skills/needs/SKILL.md": skillMd("needs", { metadata: { hermes: { requires_toolsets: ["web"] } } }),
      "skills/instead/SKILL.md": skillMd("instead", { metadata: { hermes: { fallback_for_tools: ["web_search"] } } }),
    });
    const { library } = libraryAt(location.home);
    const without = await library.indexBlock(none, "cli", signal);
    const withWeb = await library.indexBlock(
      { tools: new Set(["web_search"]), toolsets: new Set(["web"]) },
      "cli",
      signal,
    );
    expect([without?.includes("- needs"), without?.includes("- instead")]).toEqual([false, true]);
    expect([withWeb?.includes("- needs"), withWeb?.includes("- instead")]).toEqual([true, false]);
    expect((await library.visible("cli", signal)).map((one) => one.name)).toEqual(["instead", "needs"]);
  });

  it("[10:SKILL-6] a new process reads the snapshot; a changed file is read again; a forged snapshot is not believed", async () => {
    await location.write({ "skills/one/SKILL.md": skillMd("one") });
    await libraryAt(location.home).library.indexBlock(none, "cli", signal);
    const snapshot = await readFile(location.home.skillsSnapshot, "utf8");
    expect(snapshot).toContain("How to one");
    await location.write({ "skills/one/SKILL.md": skillMd("one", { description: "Another text entirely" }) });
    expect(await libraryAt(location.home).library.indexBlock(none, "cli", signal)).toContain("Another text entirely");
    await writeFile(location.home.skillsSnapshot, snapshot.replaceAll("How to one", "Forged one"));
    expect(await libraryAt(location.home).library.indexBlock(none, "cli", signal)).toContain("Another text entirely");
  });

  it("[10:SKILL-6] keeps the eight last kinds of session and forgets a text whose files changed", () => {
    const cache = new IndexCache();
    let made = 0;
    const take = (key: string, print: string) => cache.take(key, print, () => `${key}${++made}`);
    for (let index = 0; index < 9; index += 1) take(`k${index}`, "f");
    expect(cache.size).toBe(8);
    expect([take("k8", "f"), take("k0", "f"), take("k8", "g")]).toEqual(["k89", "k010", "k811"]);
  });
});

describe("finding skills", () => {
  it("[10:A8.12] [10:SKILL-2] local before external, with ~ and variables in the folders' names", async () => {
    await location.write({
      "skills/same/SKILL.md": skillMd("same", { description: "local" }),
      "more/x/same/SKILL.md": skillMd("same", { description: "external" }),
      "more/only/SKILL.md": skillMd("only"),
    });
    const { library } = libraryAt(location.home, {
      env: { MORE: "more", HOME: location.home.root },
      settings: () => ({ ...noSettings, externalDirs: ["~/$" + "{MORE}", "~/missing"] }),
    });
    expect(await library.find("same", "cli", signal)).toMatchObject({ kind: "found", skill: { origin: "local" } });
    expect(await library.find("x/same", "cli", signal)).toMatchObject({ kind: "found", skill: { origin: "external" } });
    expect(await library.find("only", "cli", signal)).toMatchObject({ kind: "found", skill: { origin: "external" } });
    expect((await library.visible("cli", signal)).map((one) => one.facts.description)).toEqual(
      ["How to only", "local"].sort(),
    );
  });

  it("[10:SKILL-3] a surface's own list replaces the general one", async () => {
    await location.write({ "skills/a/SKILL.md": skillMd("a"), "skills/b/SKILL.md": skillMd("b") });
    const settings = { ...noSettings, disabled: ["a"], platformDisabled: { telegram: ["b"] } };
    const { library } = libraryAt(location.home, { settings: () => settings });
    expect((await library.visible("cli", signal)).map((one) => one.name)).toEqual(["b"]);
    expect((await library.visible("telegram", signal)).map((one) => one.name)).toEqual(["a"]);
    expect(await library.find("a", "cli", signal)).toMatchObject({ kind: "disabled" });
  });

  it("[10:A8.3] a skill for another system is nowhere, and says so when asked for", async () => {
    await location.write({ "skills/mac/SKILL.md": skillMd("mac", { platforms: ["macos"] }) });
    const { library } = libraryAt(location.home);
    expect(await library.visible("cli", signal)).toEqual([]);
    expect(await library.indexBlock(none, "cli", signal)).toBeUndefined();
    expect(skillCommands(await library.visible("cli", signal), new Set()).commands.size).toBe(0);
    expect(await library.find("mac", "cli", signal)).toMatchObject({ kind: "unsupported" });
  });

  it.each(["../memories/MEMORY", "/etc/passwd", "a/../../b", "C:\\x", "a\\b", "~/x", ""])(
    "[10:A8.4] [10:D48] the name %j is refused",
    async (name) => {
      await location.write({ "memories/MEMORY.md": "private" });
      expect(await libraryAt(location.home).library.find(name, "cli", signal)).toMatchObject({ kind: "refused" });
    },
  );

  it("an old flat file is found beside skills, but not inside one", async () => {
    await location.write({
      "skills/old.md": "---\nname: old\ndescription: Old one\n---\nDo it.",
      "skills/new/SKILL.md": skillMd("new"),
      "skills/new/notes.md": "private notes",
    });
    const { library } = libraryAt(location.home);
    expect(await library.find("old", "cli", signal)).toMatchObject({ kind: "found" });
    expect(await library.find("new/notes", "cli", signal)).toMatchObject({ kind: "not-found", names: ["new"] });
  });

  it("a folder that links back to itself is walked once", async () => {
    await location.write({ "skills/c/a/SKILL.md": skillMd("a") });
    await symlink(location.home.skills, join(location.home.skills, "c", "loop"));
    expect((await libraryAt(location.home).library.catalogue(signal)).everything.map((one) => one.name)).toEqual(["a"]);
  });

  it("plugin skills are found by namespace only and are not in the index", async () => {
    await location.write({ "plugin/SKILL.md": skillMd("ignored"), "skills/a/SKILL.md": skillMd("a") });
    const { library } = libraryAt(location.home, {
      pluginSkills: () => [{ name: "tool:help", path: join(location.home.root, "plugin") }],
    });
    expect(await library.find("tool:help", "cli", signal)).toMatchObject({
      kind: "found",
      skill: { origin: "plugin" },
    });
    expect(await library.find("help", "cli", signal)).toMatchObject({ kind: "not-found" });
    expect(await library.indexBlock(none, "cli", signal)).not.toContain("help");
  });

  it("a skill that is deleted is gone at once", async () => {
    await location.write({ "skills/a/SKILL.md": skillMd("a") });
    const { library } = libraryAt(location.home);
    await library.catalogue(signal);
    await rm(location.home.at("skills", "a"), { recursive: true });
    expect((await library.catalogue(signal)).skills).toEqual([]);
  });
});

describe("a library that was read before", () => {
  const later = () => Date.now() + 3_600_000;
  /** Times of files have steps; two changes in one step would look like one. */
  const anotherTime = async (): Promise<void> => {
    const probe = location.home.at("probe");
    await writeFile(probe, "");
    const { ctimeMs } = await stat(probe);
    do await writeFile(probe, "");
    while ((await stat(probe)).ctimeMs === ctimeMs);
  };

  it("is not read again while nothing has changed, and is as soon as something has", async () => {
    await location.write({
      "skills/a/one/SKILL.md": skillMd("one"),
      "skills/a/DESCRIPTION.md": "---\ndescription: A\n---\n",
    });
    const { library } = libraryAt(location.home, { now: later });
    const names = async () => (await library.catalogue(signal)).skills.map(({ name }) => name);
    const first = await library.catalogue(signal);
    expect(await library.catalogue(signal)).toBe(first);

    await anotherTime();
    await location.write({ "skills/a/two/SKILL.md": skillMd("two") });
    expect(await names()).toEqual(["one", "two"]);
    await anotherTime();
    await location.write({ "skills/new-category/three/SKILL.md": skillMd("three") });
    expect(await names()).toEqual(["one", "two", "three"]);
    await anotherTime();
    await location.write({ "skills/a/one/SKILL.md": skillMd("uno") });
    expect(await names()).toEqual(["two", "uno", "three"]);
    await anotherTime();
    await rm(location.home.at("skills", "a", "two", "SKILL.md"));
    expect(await names()).toEqual(["uno", "three"]);
    await rm(location.home.at("skills"), { recursive: true });
    expect(await names()).toEqual([]);
    await location.write({ "skills/back/SKILL.md": skillMd("back") });
    expect(await names()).toEqual(["back"]);
  });

  it("looks again where a folder changed a moment before it was read", async () => {
    await location.write({ "skills/one/SKILL.md": skillMd("one") });
    const { library } = libraryAt(location.home);
    expect(await library.catalogue(signal)).not.toBe(await library.catalogue(signal));
  });
});

describe("slash commands", () => {
  it("[10:SKILL-7] slugs", () => {
    expect(["GIF Search", "my_skill", "a.b!c", "--x--y--", "Ünï"].map(slugOf)).toEqual([
      "gif-search",
      "my-skill",
      "abc",
      "x-y",
      "n",
    ]);
  });

  it("[10:A8.10] [10:SKILL-7] underscores and dashes are the same; built-in commands win, with a warning", async () => {
    await location.write({
      "skills/gif-search/SKILL.md": skillMd("gif-search"),
      "skills/model/SKILL.md": skillMd("model"),
    });
    const visible = await libraryAt(location.home).library.visible("cli", signal);
    const { commands, warnings } = skillCommands(visible, new Set(["model"]));
    expect(commands.get(slugOf("gif_search"))).toMatchObject({ skill: { name: "gif-search" } });
    expect(commands.get("model")).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });
});
