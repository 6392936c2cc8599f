import { describe, expect, it } from "vitest";
import { builtInSkins, readColor, type Style, stylesOf } from "./index.ts";

type Rgb = readonly [number, number, number];

/** What terminals have behind their text: black and the greys editors ship, white and paper. */
const backgrounds = {
  dark: ["#000000", "#1e1e1e", "#282c34"],
  light: ["#ffffff", "#fafafa", "#f5f0e1"],
} as const;

const sides = ["dark", "light"] as const;

/** What eyes see of linear red, green and blue (Machado, Oliveira and Fernandes 2009, full deficiency). */
const visions: Readonly<Record<string, readonly Rgb[]>> = {
  "full colour": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

describe.each([
  ["high-contrast", 7],
  ["colour-blind", 4.5],
] as const)("the skin %s", (name, least) => {
  it.each(sides)(`keeps a contrast of ${least} to 1 for everything it colours, on %s terminals`, (side) => {
    for (const [style, { fg, bg }] of Object.entries(stylesOf(skinOf(name), side))) {
      if (fg === undefined) continue;
      for (const behind of bg === undefined ? backgrounds[side] : [bg])
        expect(contrast(fg, behind), `${style}: ${fg} on ${behind}`).toBeGreaterThanOrEqual(least);
    }
  });

  it.each(sides)("leaves text readable that has only a background, on %s terminals", (side) => {
    const ink = side === "dark" ? "#d0d0d0" : "#1a1a1a";
    for (const [style, { fg, bg }] of Object.entries(stylesOf(skinOf(name), side)))
      if (bg !== undefined && fg === undefined) expect(contrast(ink, bg), style).toBeGreaterThanOrEqual(4.5);
  });
});

describe("the skin high-contrast", () => {
  it("dims nothing: how faint that gets is up to the terminal", () => {
    for (const side of sides) {
      const dimmed = Object.entries(stylesOf(skinOf("high-contrast"), side)).filter(
        ([, style]) => style.isDim === true,
      );
      expect(dimmed).toEqual([]);
    }
  });

  it("still tells what is suggested from what was typed", () => {
    expect(stylesOf(skinOf("high-contrast"))["ghost"]).not.toEqual({});
  });
});

describe("the skin colour-blind", () => {
  const pairs = [
    ["ok", "error"],
    ["ok", "warn"],
    ["error", "warn"],
    ["diff-add", "diff-remove"],
    ["status-good", "status-critical"],
  ] as const;

  it.each(Object.keys(visions))("keeps good, bad and warning apart for eyes with %s", (vision) => {
    for (const side of sides) {
      const styles = stylesOf(skinOf("colour-blind"), side);
      for (const [one, other] of pairs)
        expect(
          distance(seen(styles[one], vision), seen(styles[other], vision)),
          `${side}: ${one}, ${other}`,
        ).toBeGreaterThan(20);
    }
  });

  it("is needed: the default skin's green and red come close together", () => {
    const { ok, error } = stylesOf(skinOf("default"));
    const [near, far] = ["deuteranopia", "full colour"].map((vision) =>
      distance(seen(ok, vision), seen(error, vision)),
    );
    expect(near).toBeLessThan((far ?? 0) / 2);
  });
});

describe("the default skin", () => {
  it("is readable on a light terminal", () => {
    const { prompt, ok, error, warn, accent, label } = stylesOf(skinOf("default"), "light");
    for (const style of [prompt, ok, error, warn, accent, label])
      expect(contrast(style?.fg ?? "", "#ffffff")).toBeGreaterThanOrEqual(4.5);
  });
});

function skinOf(name: string) {
  const found = builtInSkins.find((skin) => skin.name === name);
  if (found === undefined) throw new Error(`no skin ${name}`);
  return found;
}

/** WCAG 2: (lighter + 0.05) / (darker + 0.05) of relative luminances. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = linear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(color: string): Rgb {
  const rgb = readColor(color);
  if (rgb === undefined) throw new Error(`no colour: ${color}`);
  const [red, green, blue] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red ?? 0, green ?? 0, blue ?? 0];
}

function seen(style: Style | undefined, vision: string): Rgb {
  const [red, green, blue] = linear(style?.fg ?? "");
  const rows = visions[vision] ?? [];
  const [r = 0, g = 0, b = 0] = rows.map(([x = 0, y = 0, z = 0]) => x * red + y * green + z * blue);
  return [r, g, b];
}

/** CIE 1976: 2 is just noticeable, 20 is plain to see. */
function distance(one: Rgb, other: Rgb): number {
  const [left, right] = [lab(one), lab(other)];
  return Math.hypot(left[0] - right[0], left[1] - right[1], left[2] - right[2]);
}

function lab([red, green, blue]: Rgb): Rgb {
  const curve = (value: number): number => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = curve((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
  const y = curve(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = curve((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
