import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { guessedValue } from "./edit/check-setting.ts";
import { configJsonSchema, defaultConfig, describeSettings } from "./index.ts";
import { platformSettings } from "./platform-settings.ts";
import { TempHome } from "./testing.ts";

/** Every file and package that loading a module loads at once; imports of types and `import()` do not count. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  const statement = /^(?:import|export)\s+(?!type\b)(?:([^"';]*?)\s+from\s+)?"([^"]+)";/gm;
  for (const [, names, from] of text.matchAll(statement)) {
    if (from === undefined || isTypesOnly(names ?? "")) continue;
    if (from.startsWith("./") || from.startsWith("../")) loadedBy(join(dirname(file), from), seen);
    else seen.add(from);
  }
  return seen;
}

function isTypesOnly(names: string): boolean {
  const inside = /^\{(.*)\}$/s.exec(names.trim())?.[1];
  const parts = inside
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts?.every((part) => part.startsWith("type ")) ?? false;
}

test("opening the door loads neither the sections nor YAML", () => {
  const loaded = [...loadedBy(fileURLToPath(new URL("./index.ts", import.meta.url)))];
  expect(loaded.some((name) => name.endsWith("load.ts"))).toBe(true);
  expect(loaded.filter((name) => name === "zod" || name === "yaml" || name.includes("/sections/"))).toEqual([]);
});

test("a load of a file that was read before needs neither YAML nor a schema library", () => {
  const loaded = [...loadedBy(fileURLToPath(new URL("./load/assemble.ts", import.meta.url)))];
  expect(loaded.some((name) => name.endsWith("/sections/root.ts"))).toBe(true);
  expect(loaded.filter((name) => name === "zod" || name === "yaml")).toEqual([]);
});

test("[20:R7.12] the schema is offered as settings, as defaults and as JSON Schema", async () => {
  expect((await describeSettings()).length).toBeGreaterThan(500);
  expect((await defaultConfig()).agent.max_turns).toBe(90);
  expect(Object.isFrozen((await defaultConfig()).agent)).toBe(true);
  expect((await configJsonSchema()).type).toBe("object");
});

test.each([
  ["yes", true],
  ["On", true],
  ["off", false],
  ["12", 12],
  ["-3", -3],
  ["1.5", 1.5],
  ["007", "007"],
  ["12345678901234567890", "12345678901234567890"],
  ["[1, 2]", [1, 2]],
  ["{broken", "{broken"],
  ["plain text", "plain text"],
  ["", ""],
])("[20:R7.27] without a schema %j is %j", (written, expected) => {
  expect(guessedValue(written)).toEqual(expected);
});

test("[40:CFG-2] everything about one platform in one place", async () => {
  using temp = new TempHome({
    "config.yaml":
      "platforms:\n  telegram:\n    token: t1234\n    home_channel: {chat_id: 5, name: home}\n    extra: {own: 1, ignored_threads: [3]}\n  slack: {}\n",
  });
  const { config } = await temp.load({ env: { ...temp.env, SLACK_HOME_CHANNEL: "C1" } });
  const telegram = platformSettings(config, "telegram");
  expect(telegram).toMatchObject({ enabled: undefined, homeChannel: { chatId: "5", name: "home" }, extra: { own: 1 } });
  expect(telegram.token?.reveal()).toBe("t1234");
  expect(telegram.block.ignored_threads).toEqual(["3"]);
  expect(platformSettings(config, "slack")).toMatchObject({ token: undefined, homeChannel: { chatId: "C1" } });
  expect(platformSettings(config, "matrix")).toMatchObject({ token: undefined, replyToMode: "first", extra: {} });
});

test.each([
  ["telegram", "TELEGRAM", "TELEGRAM_HOME_CHANNEL"],
  ["discord", "DISCORD", "DISCORD_HOME_CHANNEL"],
  ["whatsapp", "WHATSAPP", "WHATSAPP_HOME_CHANNEL"],
  ["slack", "SLACK", "SLACK_HOME_CHANNEL"],
  ["signal", "SIGNAL", "SIGNAL_HOME_CHANNEL"],
  ["email", "EMAIL", "EMAIL_HOME_ADDRESS"],
  ["sms", "SMS", "SMS_HOME_CHANNEL"],
  ["mattermost", "MATTERMOST", "MATTERMOST_HOME_CHANNEL"],
  ["matrix", "MATRIX", "MATRIX_HOME_ROOM"],
  ["dingtalk", "DINGTALK", "DINGTALK_HOME_CHANNEL"],
  ["feishu", "FEISHU", "FEISHU_HOME_CHANNEL"],
  ["wecom", "WECOM", "WECOM_HOME_CHANNEL"],
  ["wecom_callback", "WECOM_CALLBACK", "WECOM_CALLBACK_HOME_CHANNEL"],
  ["weixin", "WEIXIN", "WEIXIN_HOME_CHANNEL"],
  ["bluebubbles", "BLUEBUBBLES", "BLUEBUBBLES_HOME_CHANNEL"],
  ["qqbot", "QQ", "QQBOT_HOME_CHANNEL"],
] as const)(
  "[40:AUT-3] [40:DLV-5] who may write on %s, and its home channel, are set by its variables",
  async (id, prefix, home) => {
    using temp = new TempHome({});
    const env = {
      ...temp.env,
      [`${prefix}_ALLOWED_USERS`]: "one, two",
      [`${prefix}_ALLOW_ALL_USERS`]: "yes",
      [home]: "chat-9",
    };
    const { config } = await temp.load({ env });
    expect(config[id].allowed_users).toEqual(["one", "two"]);
    expect(config[id].allow_all_users).toBe(true);
    expect(platformSettings(config, id).homeChannel?.chatId).toBe("chat-9");
  },
);
