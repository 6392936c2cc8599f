import { describe, expect, it } from "vitest";
import { platformHint } from "./platform-hints.ts";

const chats =
  "telegram discord slack whatsapp signal email sms cron matrix mattermost feishu weixin wecom qqbot bluebubbles";

describe("platform hints [10:PROMPT-16]", () => {
  it.each(chats.split(" "))("%s: says what renders and how files travel", (platform) => {
    const hint = platformHint(platform) ?? "";
    expect(hint).toMatch(/Markdown/);
    expect(hint).toContain("MEDIA:/absolute/path");
    expect(hint).toContain("photo");
  });

  it("cli: plain text, paths instead of attachments", () => {
    const hint = platformHint("cli") ?? "";
    expect(hint).toContain("plain text");
    expect(hint).toContain("no MEDIA lines");
    expect(hint).toContain("absolute paths");
  });

  it("sms is brief, email does without greetings, cron never asks", () => {
    expect(platformHint("sms")).toContain("1,600 characters");
    expect(platformHint("email")).toContain("without needless greetings");
    expect(platformHint("cron")).toContain("never ask");
    expect(platformHint("cron")).toContain("delivered by itself");
  });

  it.each(["whatsapp", "signal", "bluebubbles"])("%s: no Markdown", (platform) => {
    expect(platformHint(platform)).toContain("Markdown does not render");
  });

  it("knows no other platform", () => {
    expect(platformHint("fax")).toBeUndefined();
  });
});
