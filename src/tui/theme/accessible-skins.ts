import type { SkinChange, SkinColors } from "./skin.ts";

/**
 * Skins for people who need more contrast, or who see red and green alike. Each has colours for a dark and for a light
 * background. `accessible-skins.test.ts` computes the contrast, and how far apart colours stay for colour-blind eyes.
 */
export const accessibleSkins: readonly SkinChange[] = [
  {
    name: "high-contrast",
    description: "Strong contrast on dark and light terminals, no dimmed text",
    colors: colorsFrom(
      { title: "#ffff5f", text: "#ffffff", accent: "#ffd75f", label: "#87d7ff", bar: "#1a1a1a", current: "#003f7f" },
      ["#87ff87", "#ff9d9d", "#ffd75f"],
    ),
    lightColors: colorsFrom(
      { title: "#00005f", text: "#000000", accent: "#5f2d00", label: "#003f7f", bar: "#e4e4e4", current: "#ffd75f" },
      ["#004d00", "#8b0000", "#5c3a00"],
    ),
    hasDimText: false,
  },
  {
    name: "colour-blind",
    description: "Blue for good, orange for bad; no red and green",
    colors: colorsFrom(
      { title: "#f0e442", text: "#f2f2f2", accent: "#56b4e9", label: "#e0a3c8", bar: "#262626", current: "#0a3d62" },
      ["#56b4e9", "#ff8c2e", "#fff3a0"],
    ),
    lightColors: colorsFrom(
      { title: "#003f6b", text: "#1a1a1a", accent: "#005a94", label: "#7a3b64", bar: "#e8e8e8", current: "#b8dcf2" },
      ["#005a94", "#a34200", "#353000"],
    ),
  },
];

interface Palette {
  readonly title: string;
  readonly text: string;
  readonly accent: string;
  readonly label: string;
  /** Behind the status line and menus. */
  readonly bar: string;
  /** Behind the chosen row of a menu. */
  readonly current: string;
}

function colorsFrom(
  { title, text, accent, label, bar, current }: Palette,
  [good, bad, warning]: readonly [string, string, string],
): SkinColors {
  return {
    banner_border: accent,
    banner_title: title,
    banner_accent: accent,
    banner_dim: text,
    banner_text: text,
    ui_accent: accent,
    ui_label: label,
    ui_ok: good,
    ui_error: bad,
    ui_warn: warning,
    prompt: title,
    input_rule: accent,
    response_border: accent,
    session_label: label,
    session_border: accent,
    status_bar_bg: bar,
    voice_status_bg: bar,
    completion_menu_bg: bar,
    completion_menu_current_bg: current,
    completion_menu_meta_bg: bar,
    completion_menu_meta_current_bg: current,
  };
}
