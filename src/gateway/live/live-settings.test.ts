import { afterEach, describe, expect, it } from "vitest";
import { type Config, defaultConfig } from "#config";
import { calls, reply, says, slow } from "../../../test/fakes/model-server/index.ts";
import { loadPlatform, platformIds } from "../adapters/registry.ts";
import type { Platform } from "../platform/platform.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";
import { liveSettings } from "./live-settings.ts";

afterEach(closeGateways);

const todo = (content: string) => ({ todos: [{ id: "1", content, status: "pending" }] });

async function loaded(id: string): Promise<Platform> {
  const platform = await loadPlatform(id);
  if (platform === undefined) throw new Error(`no platform ${id}`);
  return platform;
}

async function settingsOf(id: string, change: (config: Config) => Config = (config) => config) {
  return liveSettings(change(await defaultConfig()), await loaded(id));
}

const streaming = (config: Config): Config => ({ ...config, streaming: { ...config.streaming, enabled: true } });

describe("what chats see of a turn while it runs", () => {
  it("is what the settings of streaming say: switch, way, pace and cursor [40:STR-1]", async () => {
    expect(await settingsOf("telegram")).toMatchObject({ streams: false, cursor: " ▉" });
    expect(await settingsOf("telegram", streaming)).toMatchObject({ streams: true });
    const paced = await settingsOf("telegram", (config) => ({
      ...config,
      streaming: { ...config.streaming, enabled: true, edit_interval: 2.5, cursor: " …" },
    }));
    expect(paced).toMatchObject({ streams: true, editIntervalMs: 2_500, cursor: " …" });
    const off = (config: Config): Config => ({
      ...config,
      streaming: { ...config.streaming, enabled: true, transport: "off" },
    });
    expect(await settingsOf("telegram", off)).toMatchObject({ streams: false });
  });

  it("does not grow where messages cannot be edited, whatever is wished for [40:STR-6]", async () => {
    const wished = (config: Config): Config => ({
      ...streaming(config),
      display: {
        ...config.display,
        platforms: Object.fromEntries(platformIds.map((id) => [id, { streaming: true, tool_progress: "all" }])),
      },
    });
    for (const id of platformIds) {
      const { capabilities, canEditWith } = await loaded(id);
      if (capabilities.canEdit || canEditWith !== undefined) continue;
      expect(await settingsOf(id, wished), id).toMatchObject({ streams: false, toolProgress: "off" });
    }
  });

  it("is one whole answer on WeCom: no tools, no beginnings [40:A-STR-7] [40:STR-6]", async () => {
    const live = await settingsOf("wecom", streaming);
    const { intake, message, server, start, heard, texts } = await gateway({ live: { ...live, interimTexts: false } });
    server.script(calls("todo", todo("x")), slow(says("The whole answer, and nothing before it.")));
    start();
    await intake.admit(message("plan"));
    await server.received(2);
    server.release(4);
    server.release(1_000);
    await heard(1);
    expect(texts()).toEqual(["The whole answer, and nothing before it."]);
  });

  it("holds none of the model's thinking, and leaves tags that are only written about [40:A-STR-4]", async () => {
    const { intake, message, server, start, shown } = await gateway({ live: { streams: true } });
    server.script(says("<think>plan</think>Hi there, friend."), says("Write `<think>` tags around it."));
    start();
    await intake.admit(message("hello"));
    await expect.poll(shown, { timeout: 15_000 }).toEqual(["Hi there, friend."]);
    await intake.admit(message("how?"));
    await expect.poll(shown, { timeout: 15_000 }).toEqual(["Hi there, friend.", "Write `<think>` tags around it."]);
  });

  it("is a beginning that becomes the first of several messages when the answer is longer than one [40:A-STR-2]", async () => {
    const { intake, message, server, start, shown, sent } = await gateway({ live: { streams: true } });
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    server.script(slow(says(words)));
    start();
    await intake.admit(message("tell me"));
    await server.received(1);
    server.release(10);
    await expect.poll(() => shown().length, { timeout: 15_000 }).toBe(1);
    server.release(1_000);
    await expect.poll(() => shown().length, { timeout: 15_000 }).toBeGreaterThan(1);
    const whole = () =>
      shown()
        .map((text) => text.replace(/ \(\d\/\d\)$/u, ""))
        .join(" ");
    await expect.poll(whole, { timeout: 15_000 }).toBe(words);
    expect(sent.filter((one) => one.message.kind === "text")).toHaveLength(shown().length);
  });

  it("may be dropped when there is no room; what is owed waits for its turn and goes out [40:STR-7]", async () => {
    const { intake, message, server, start, shown, results } = await gateway({ live: { streams: true } });
    const flood = { kind: "failed", errorClass: "rate-limited", message: "slow down", retryAfterMs: 1 } as const;
    results.push({ kind: "sent", messageId: "m1" }, ...Array.from({ length: 3 }, () => flood));
    server.script(reply([says("A long answer that was shown only in part while it grew.")]));
    start();
    await intake.admit(message("hello"));
    await expect
      .poll(() => shown().at(-1), { timeout: 30_000 })
      .toBe("A long answer that was shown only in part while it grew.");
  });
});
