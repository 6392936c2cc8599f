import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { imagesOf, textOf } from "#conversation";
import { says, slow } from "../../../test/fakes/model-server/index.ts";
import { openHarness, say } from "../testing/harness.ts";
import { pathOf, withImages } from "../turns/image-input.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-input-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("images", () => {
  it("travel with the words; what is no image is left out with a warning [20:R10.24]", async () => {
    await writeFile(join(folder, "a.png"), png);
    await writeFile(join(folder, "b.png"), "not an image");
    const { content, warnings } = await withImages(
      "Look",
      ["a.png", "b.png", "gone.png", "data:image/png;base64,AA=="],
      folder,
    );
    expect(textOf(content)).toBe("Look");
    expect(imagesOf(content).map((part) => part.image_url.url.slice(0, 22))).toEqual([
      "data:image/png;base64,",
      "data:image/png;base64,",
    ]);
    expect(warnings).toEqual([
      "b.png is not attached: it is not a PNG, JPEG, GIF or WebP image.",
      expect.stringContaining("gone.png is not attached"),
    ]);
  });

  it("are found by the paths people drop [20:R10.23]", () => {
    expect(pathOf("'/a/my file.png'", folder)).toBe("/a/my file.png");
    expect(pathOf("/a/my\\ file.png", folder)).toBe("/a/my file.png");
    expect(pathOf("file:///a/my%20file.png", folder)).toBe("/a/my file.png");
    expect(pathOf("~/x.png", folder)).toBe(join(homedir(), "x.png"));
    expect(pathOf("x.png", folder)).toBe(join(folder, "x.png"));
  });

  it("reach the model as parts and the store as they were sent [10:A10.10]", async () => {
    await writeFile(join(folder, "a.png"), png);
    await using parts = await openHarness();
    parts.server.script(says("A dot."));
    const session = await parts.open({ cwd: folder });
    const submission = await session.submit({ text: "What is it?", images: ["a.png"] });
    if (submission.kind === "turn") await submission.ended;
    const [stored] = await parts.store.messages.conversation(session.info.id);
    expect(imagesOf(stored?.content ?? "")).toHaveLength(1);
    expect(JSON.stringify((await parts.server.received(1)).body)).toContain("image_url");
  });
});

describe("a hint", () => {
  it.each([
    ["telegram", ["onboarding.seen.busy_input"]],
    // The screen gives its own: two for one thing would be one too many.
    ["cli", []],
  ])("about messages during a turn is shown once per profile, on %s [20:R10.32]", async (source, wanted) => {
    const saved: string[] = [];
    const preferences = {
      profile: "default",
      homePath: "/h",
      describe: () => Promise.resolve([]),
      settings: () => Promise.resolve([]),
      save: (key: string) => Promise.resolve(void saved.push(key)),
      reload: () => Promise.resolve(""),
    };
    await using parts = await openHarness({ deps: { preferences } });
    parts.server.script(slow(says("x")), slow(says("y")), says("Done."));
    const session = await parts.open({ source });
    await session.submit({ text: "One" });
    await parts.server.received(1);
    await session.submit({ text: "Two" });
    await parts.server.received(2);
    await say(session, "Three");
    const hints = parts.events.filter((event) => event.type === "notice" && event.text.includes("/busy"));
    expect(hints).toHaveLength(wanted.length);
    expect(saved).toEqual(wanted);
  });
});

describe("what the model is sent", () => {
  it("has references expanded, and says what could not be [20:R10.25]", async () => {
    await using parts = await openHarness({
      services: () => ({
        references: {
          expand: (text) =>
            Promise.resolve({
              text: `${text}\n\nATTACHED`,
              attached: [],
              attachedTokens: 0,
              warnings: ["@file:x is not attached."],
            }),
        },
      }),
    });
    parts.server.script(says("Read."));
    const session = await parts.open();
    await say(session, "See @file:x");
    expect(session.history[0]?.content).toBe("See @file:x\n\nATTACHED");
    expect(parts.events).toContainEqual({ type: "notice", level: "warn", text: "@file:x is not attached." });
  });

  it("is nothing when the words are blank, and nothing after the session is closed", async () => {
    await using parts = await openHarness();
    const session = await parts.open();
    expect(await session.submit({ text: "  " })).toMatchObject({ kind: "refused" });
    await session[Symbol.asyncDispose]();
    expect(await session.submit({ text: "Hello" })).toMatchObject({ kind: "refused" });
  });

  it("ends as a failed turn when the session cannot prepare it, and the words are kept", async () => {
    const expand = () => Promise.reject(new Error("disk gone"));
    await using parts = await openHarness({ services: () => ({ references: { expand } }) });
    const session = await parts.open();
    expect(await say(session, "Hello @file:a.txt")).toMatchObject({ failed: true, error: "disk gone" });
    expect(await parts.store.inbox.counts()).toMatchObject({ pending: 1, claimed: 0 });
  });

  it("is closed cleanly in the middle of a turn: its waiter is told", async () => {
    await using parts = await openHarness({ settings: { busyMode: "interrupt" } });
    parts.server.script(slow(says("x")));
    const session = await parts.open();
    const running = await session.submit({ text: "One" });
    await parts.server.received(1);
    await session[Symbol.asyncDispose]();
    expect(running.kind === "turn" && (await running.ended)).toMatchObject({ interrupted: true });
    expect(await parts.store.sessions.get(session.info.id)).toMatchObject({ endReason: "user_exit" });
  });
});

describe("known secrets in a person's words", () => {
  it("reach neither the model nor the store", async () => {
    await using parts = await openHarness();
    parts.server.script(says("Noted."));
    const session = await parts.open({ cwd: folder });
    const submission = await session.submit({ text: "My key is known-secret-value, use it." });
    if (submission.kind === "turn") await submission.ended;
    expect(JSON.stringify((await parts.server.received(1)).body)).toContain("My key is ***, use it.");
    const stored = await parts.store.messages.conversation(session.info.id);
    expect(JSON.stringify(stored)).not.toContain("known-secret-value");
  });
});
