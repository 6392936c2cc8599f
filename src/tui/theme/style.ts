/** How a class of text looks. Colours are `#rrggbb`; a terminal with fewer colours gets the nearest it has. */
export interface Style {
  readonly fg?: string;
  readonly bg?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  readonly isInverse?: boolean;
  readonly isStruck?: boolean;
}

/** Style classes by name; extensions may add their own. */
export type StyleMap = Readonly<Record<string, Style>>;

/** Bits per colour: none, the sixteen named ones, the cube of 256, all. */
export type ColorDepth = 0 | 4 | 8 | 24;

/** What a terminal can show, from what its environment says. */
export function colorDepthOf(env: Readonly<Record<string, string | undefined>>, isTty: boolean): ColorDepth {
  if ((env["NO_COLOR"] ?? "") !== "") return 0;
  const forced = env["FORCE_COLOR"];
  if (forced === "0") return 0;
  if (forced === "3") return 24;
  if (forced === "2") return 8;
  if (forced !== undefined && forced !== "") return 4;
  const term = env["TERM"] ?? "";
  if (!isTty || term === "dumb") return 0;
  if (/^(truecolor|24bit)$/i.test(env["COLORTERM"] ?? "")) return 24;
  if (/-256(color)?$/i.test(term)) return 8;
  return (env["WT_SESSION"] ?? "") === "" ? 4 : 24;
}

/** The escape sequence that switches a style on; empty when there is nothing to switch. */
export function sgrOf(style: Style | undefined, depth: ColorDepth): string {
  if (style === undefined) return "";
  const codes: string[] = [];
  if (style.isBold === true) codes.push("1");
  if (style.isDim === true) codes.push("2");
  if (style.isItalic === true) codes.push("3");
  if (style.isUnderlined === true) codes.push("4");
  if (style.isInverse === true) codes.push("7");
  if (style.isStruck === true) codes.push("9");
  const fg = colorCode(style.fg, depth, 38);
  const bg = colorCode(style.bg, depth, 48);
  if (fg !== "") codes.push(fg);
  if (bg !== "") codes.push(bg);
  return codes.length === 0 ? "" : `\x1b[${codes.join(";")}m`;
}

function colorCode(color: string | undefined, depth: ColorDepth, lead: 38 | 48): string {
  const rgb = color === undefined ? undefined : readColor(color);
  if (rgb === undefined) return "";
  switch (depth) {
    case 0:
      return "";
    case 4: {
      const index = nearest16(rgb);
      return String((lead === 38 ? 30 : 40) + (index < 8 ? index : index + 52));
    }
    case 8:
      return `${lead};5;${nearest256(rgb)}`;
    case 24:
      return `${lead};2;${rgb.join(";")}`;
  }
}

type Rgb = readonly [number, number, number];

/** `#rrggbb` or `#rgb`; undefined for anything else. */
export function readColor(color: string): Rgb | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color);
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  const parts = (long ?? short)?.slice(1).map((part) => Number.parseInt(part.length === 1 ? part + part : part, 16));
  return parts === undefined ? undefined : [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
}

const named: readonly Rgb[] = [
  [0, 0, 0],
  [170, 0, 0],
  [0, 170, 0],
  [170, 85, 0],
  [0, 0, 170],
  [170, 0, 170],
  [0, 170, 170],
  [170, 170, 170],
  [85, 85, 85],
  [255, 85, 85],
  [85, 255, 85],
  [255, 255, 85],
  [85, 85, 255],
  [255, 85, 255],
  [85, 255, 255],
  [255, 255, 255],
];

function nearest16(rgb: Rgb): number {
  let best = 0;
  for (const [index, color] of named.entries()) {
    if (distance(rgb, color) < distance(rgb, named[best] ?? rgb)) best = index;
  }
  return best;
}

function nearest256([red, green, blue]: Rgb): number {
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
  if (spread < 10) {
    if (red < 8) return 16;
    return red > 248 ? 231 : 232 + Math.round(((red - 8) / 247) * 24);
  }
  const level = (value: number): number =>
    value < 48 ? 0 : value < 115 ? 1 : Math.min(5, Math.round((value - 55) / 40));
  return 16 + 36 * level(red) + 6 * level(green) + level(blue);
}

function distance(left: Rgb, right: Rgb): number {
  return (left[0] - right[0]) ** 2 + (left[1] - right[1]) ** 2 + (left[2] - right[2]) ** 2;
}
