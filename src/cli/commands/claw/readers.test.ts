import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskCredentials } from "./archive.ts";
import { channelSettings } from "./channels.ts";
import { noteEntries, sameRemark } from "./note-entries.ts";
import { parseJson5 } from "./old-home.ts";

describe("settings of OpenClaw", () => {
  it("are read with comments, bare names, single quotes and trailing commas", async () => {
    const text = `\uFEFF/* a */ { // b\n  name: 'it''s'.length, }`;
    expect(await parseJson5(text)).toMatchObject({ ok: false });
    expect(
      await parseJson5(`\uFEFF/* a */ { // b
        $bare_1: 'x"\\'y', "quoted": "a\\u0041\\
b", list: [1, -2.5, .5, +3, 0x1F, 1e3, true, null,], nested: { a: {}, }, "__proto__": { "polluted": 1 },
      } // end`),
    ).toEqual({
      ok: true,
      value: { $bare_1: `x"'y`, quoted: "aAb", list: [1, -2.5, 0.5, 3, 31, 1000, true, null], nested: { a: {} } },
    });
  });

  it("are read as any JSON is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const text = JSON.stringify(value);
        if (text.includes("__proto__")) return;
        expect(await parseJson5(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
      }),
    );
  });

  it("never hang and never throw, whatever the text is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(typeof (await parseJson5(text)).ok).toBe("boolean");
      }),
    );
    expect(await parseJson5("[".repeat(500))).toMatchObject({ ok: false });
    expect(await parseJson5(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toMatchObject({ ok: false });
    expect(await parseJson5('{\n a: "x')).toMatchObject({ ok: false, message: expect.stringContaining("2:") });
    expect(await parseJson5("{} x")).toMatchObject({ ok: false });
  });

  it("lose their credentials in a copy", () => {
    expect(
      maskCredentials({
        gateway: { auth: { token: "t", mode: "token" } },
        channels: { telegram: { botToken: "x", allowFrom: ["1"] } },
        env: { ANYTHING: "x", vars: { OTHER: "y" } },
        mcp: { servers: { a: { headers: { X: "y" }, args: ["z"] } } },
        models: { providers: { a: { apiKey: { source: "env", id: "A" } } } },
      }),
    ).toEqual({
      gateway: { auth: { token: "***", mode: "token" } },
      channels: { telegram: { botToken: "***", allowFrom: ["1"] } },
      env: { ANYTHING: "***", vars: { OTHER: "***" } },
      mcp: { servers: { a: { headers: { X: "***" }, args: ["z"] } } },
      models: { providers: { a: { apiKey: { source: "env", id: "A" } } } },
    });
  });
});

describe("notes of OpenClaw", () => {
  it("fall into remarks that can stand alone", () => {
    const text = `---
title: x
---
# MEMORY.md

Ada lives in Bern.
She moved in 2020.

## Preferences
- Tea, not coffee
  - green in the morning
* Short answers
1. Metric units
---
- **Name:**
_(What do they care about?)_
<!-- a comment
over lines -->

### Setup
\`\`\`
ssh box

reboot
\`\`\`
- Tea, not coffee
`;
    expect(noteEntries(text)).toEqual([
      "Ada lives in Bern.\nShe moved in 2020.",
      "Preferences: Tea, not coffee\n  - green in the morning",
      "Preferences: Short answers",
      "Preferences: Metric units",
      "```\nssh box\n\nreboot\n```",
      "Setup: Tea, not coffee",
    ]);
  });

  it("are read in one go, however odd the file is", () => {
    const odd = [
      "<!--".repeat(200_000),
      `# ${" ".repeat(400_000)}x`,
      `# ${"# ".repeat(300_000)}`,
      "- - ".repeat(250_000),
    ];
    // Quadratic work would not end before the test is given up.
    expect(odd.map((text) => noteEntries(text).length)).toEqual([1, 0, 0, 1]);
  });

  it("are never empty", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const entry of noteEntries(text)) expect(entry.trim()).not.toBe("");
      }),
    );
    expect(sameRemark("House: The **boiler** is… in the cellar.")).toBe("house the boiler is in the cellar");
  });
});

describe("channels of OpenClaw", () => {
  const settingsOf = (config: Record<string, unknown>) =>
    channelSettings({ root: "/nosuch", workspace: "/nosuch", config, variables: new Map(), problems: [] });

  it("name people as we do, and let nobody in who was not named", async () => {
    const allowFrom = ["tg:1", "telegram:2", "users/3", "user:4", "@ada:home.example", 5, "", "*", "a\nb", {}];
    expect(await settingsOf({ channels: { telegram: { allowFrom, dmPolicy: "open" } } })).toEqual([
      {
        item: "channels.telegram.allowFrom",
        kind: "add",
        path: ["telegram", "allowed_users"],
        values: ["1", "2", "3", "4", "@ada:home.example", "5"],
      },
      expect.objectContaining({ item: "channels.telegram.allowFrom *", kind: "refused" }),
      expect.objectContaining({ item: "channels.telegram.dmPolicy", kind: "refused" }),
    ]);
  });

  it("may stand where the oldest versions had them, and hold anything", async () => {
    const block = { allowFrom: ["+15550100"], requireMention: false, accounts: { a: {}, b: {} } };
    expect((await settingsOf({ whatsapp: block })).map(({ item, kind }) => [item, kind])).toEqual([
      ["channels.whatsapp.allowFrom", "add"],
      ["channels.whatsapp.requireMention", "set"],
      ["channels.whatsapp.accounts", "refused"],
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom("telegram", "signal", "x", "__proto__"), fc.object()),
        async (any) => {
          for (const one of await settingsOf({ channels: any })) expect(one.item).toMatch(/^channels\./);
        },
      ),
    );
  });
});
