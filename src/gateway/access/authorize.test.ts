import { describe, expect, it } from "vitest";
import { type Config, defaultConfig } from "#config";
import type { MessageSource } from "../platform/inbound.ts";
import { authorize, hasAllowlist } from "./authorize.ts";

interface Lists {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly isOpen?: boolean;
  readonly everywhere?: readonly string[];
  readonly allOpen?: boolean;
}

function config({ users = [], groups = [], isOpen = false, everywhere = [], allOpen = false }: Lists): Config {
  return {
    telegram: { allowed_users: users, group_allowed_users: groups, allow_all_users: isOpen },
    gateway: { allowed_users: everywhere, allow_all_users: allOpen },
  } as unknown as Config;
}

const from = (userId: string, rest: Partial<MessageSource> = {}): MessageSource => ({
  platform: "telegram",
  account: "b",
  chatId: "c",
  chatType: "dm",
  userId,
  ...rest,
});
const decide = (lists: Lists, source: MessageSource, paired: readonly string[] = []) => {
  const access = authorize(source, { config: config(lists), isPaired: ({ userId }) => paired.includes(userId ?? "") });
  return access.kind === "allowed" ? access.by : "denied";
};

describe("who may use Hermes in a chat", () => {
  it("is nobody, unless somebody says so [40:AUT-1]", () => {
    expect(decide({}, from("2"))).toBe("denied");
  });

  it("is decided by the first layer that lets in [40:AUT-1] [40:A-AUT-1]", () => {
    expect(decide({ users: ["1"], allOpen: true }, from("2"))).toBe("everything-open");
    expect(decide({ users: ["1"], allOpen: true }, from("1"), ["1"])).toBe("listed");
    expect(decide({ users: ["1"] }, from("2"), ["2"])).toBe("paired");
    expect(decide({ isOpen: true, users: ["1"] }, from("2"))).toBe("platform-open");
  });

  it("compares ids without case, with and without server, and takes a star for everybody [40:AUT-2] [40:AUT-5] [40:A-AUT-11]", () => {
    expect(decide({ users: ["@Ann"] }, from("ann"))).toBe("listed");
    expect(decide({ users: ["ann"] }, from("Ann@example.org"))).toBe("listed");
    expect(decide({ users: ["uuid-1"] }, from("+491", { userIdAlt: "uuid-1" }))).toBe("listed");
    expect(decide({ everywhere: ["*"] }, from("anybody"))).toBe("listed");
    expect(decide({ users: [""] }, from(""))).toBe("denied");
  });

  it("may be everybody in a listed group, but only there [40:AUT-6]", () => {
    expect(decide({ groups: ["-100"] }, from("2", { chatType: "group", chatId: "-100" }))).toBe("listed");
    expect(decide({ groups: ["-100"] }, from("2", { chatId: "-100" }))).toBe("denied");
  });

  it("may be a bot where the platform's setting says so, and on no other [40:AUT-7]", async () => {
    const settings = await defaultConfig();
    const bot = from("8", { platform: "discord", isBot: true });
    const by = (allow_bots: "none" | "mentions" | "all", source: MessageSource) =>
      authorize(source, {
        config: { ...settings, discord: { ...settings.discord, allow_bots } },
        isPaired: () => false,
      });
    expect(by("none", bot)).toEqual({ kind: "denied" });
    expect(by("mentions", bot)).toMatchObject({ kind: "allowed" });
    expect(by("all", { ...bot, isBot: false })).toEqual({ kind: "denied" });
    expect(by("all", { ...bot, platform: "telegram" })).toEqual({ kind: "denied" });
  });

  it("is not asked where the adapter has checked a signature [40:AUT-4]", () => {
    expect(decide({}, from("x", { platform: "webhook" }))).toBe("own");
  });

  it("knows whether there is a list at all [40:AUT-8]", () => {
    expect(hasAllowlist(config({}), "telegram")).toBe(false);
    expect(hasAllowlist(config({ everywhere: ["1"] }), "telegram")).toBe(true);
  });
});
