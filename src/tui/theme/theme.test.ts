import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtInSkins, colorDepthOf, defaultSkin, readSkin, sgrOf, stylesOf } from "./index.ts";
import { colorKeys } from "./skin.ts";

describe("skins", () => {
  it("come with Hermes, each with every colour [20:R10.38]", () => {
    expect(builtInSkins.map((skin) => skin.name)).toEqual([
      "default",
      "ares",
      "mono",
      "slate",
      "daylight",
      "warm-lightmode",
      "poseidon",
      "sisyphus",
      "charizard",
      "high-contrast",
      "colour-blind",
    ]);
    for (const skin of builtInSkins) {
      for (const key of colorKeys) expect(skin.colors[key], `${skin.name} ${key}`).toMatch(/^#[0-9a-f]{6}$/);
    }
  });

  it("of a user inherit from the default [20:R10.38]", async () => {
    const { skin, warnings } = await readSkin(
      "mine",
      'colors: {prompt: "#112233"}\nbranding: {response_label: "✿ Me"}\ntool_emojis: {terminal: "🐚"}\ntool_prefix: "|"\n',
    );
    expect(warnings).toEqual([]);
    expect(skin.colors.prompt).toBe("#112233");
    expect(skin.colors.ui_ok).toBe(defaultSkin.colors.ui_ok);
    expect(skin.branding.responseLabel).toBe("✿ Me");
    expect(skin.toolEmojis["terminal"]).toBe("🐚");
    expect(skin.toolPrefix).toBe("|");
  });

  it("that are broken give the default and say why [20:R10.38]", async () => {
    const broken = await readSkin("bad", "colors: {prompt: [");
    expect(broken.skin).toBe(defaultSkin);
    expect(broken.warnings[0]).toContain('Skin "bad" cannot be used');
    const partly = await readSkin("odd", "colors: {prompt: red, ui_glow: '#fff'}\nspinner: {thinking_verbs: 7}\n");
    expect(partly.skin.colors.prompt).toBe(defaultSkin.colors.prompt);
    expect(partly.warnings.join("\n")).toContain("colors.prompt is not a colour");
    expect(partly.warnings.join("\n")).toContain("colors.ui_glow");
    expect(partly.warnings.join("\n")).toContain("spinner.thinking_verbs");
  });

  it("never throw, whatever a file holds [20:R10.38]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (text) => {
        expect((await readSkin("any", text)).skin.colors.prompt).toMatch(/^#/);
      }),
      { numRuns: 100 },
    );
  });
});

describe("colours", () => {
  it("are off with NO_COLOR, attributes stay [20:R10.38]", () => {
    const depth = colorDepthOf({ NO_COLOR: "1", COLORTERM: "truecolor", TERM: "xterm" }, true);
    expect(depth).toBe(0);
    expect(sgrOf({ fg: "#ff0000", isBold: true }, depth)).toBe("\x1b[1m");
    expect(sgrOf({ fg: "#ff0000" }, depth)).toBe("");
  });

  it.each([
    [{ TERM: "xterm" }, 4, "\x1b[91m"],
    [{ TERM: "xterm-256color" }, 8, "\x1b[38;5;203m"],
    [{ COLORTERM: "truecolor", TERM: "xterm-256color" }, 24, "\x1b[38;2;255;85;85m"],
  ])("fall back to what the terminal has: %j [20:R10.38]", (env, depth, sgr) => {
    expect(colorDepthOf(env, true)).toBe(depth);
    expect(sgrOf({ fg: "#ff5555" }, colorDepthOf(env, true))).toBe(sgr);
  });

  it("give every class of a skin a style", () => {
    const styles = stylesOf(defaultSkin);
    expect(styles["prompt"]?.fg).toBe(defaultSkin.colors.prompt);
    expect(sgrOf(styles["nothing"], 24)).toBe("");
  });
});
