/** Every colour a skin may set. */
export const colorKeys = [
  "banner_border",
  "banner_title",
  "banner_accent",
  "banner_dim",
  "banner_text",
  "ui_accent",
  "ui_label",
  "ui_ok",
  "ui_error",
  "ui_warn",
  "prompt",
  "input_rule",
  "response_border",
  "session_label",
  "session_border",
  "status_bar_bg",
  "voice_status_bg",
  "completion_menu_bg",
  "completion_menu_current_bg",
  "completion_menu_meta_bg",
  "completion_menu_meta_current_bg",
] as const;

export type ColorKey = (typeof colorKeys)[number];

export type SkinColors = Readonly<Record<ColorKey, string>>;

/** What lies behind the text. */
export type Background = "dark" | "light";

export interface SpinnerSkin {
  readonly waitingFaces: readonly string[];
  readonly thinkingFaces: readonly string[];
  readonly thinkingVerbs: readonly string[];
  /** Pairs put around the face. */
  readonly wings: readonly (readonly [string, string])[];
}

export interface Branding {
  readonly agentName: string;
  readonly welcome: string;
  readonly goodbye: string;
  readonly responseLabel: string;
  readonly promptSymbol: string;
  readonly helpHeader: string;
}

/** Colours, words and symbols of the terminal, as data. */
export interface Skin {
  readonly name: string;
  readonly description: string;
  readonly colors: SkinColors;
  /** The colours on a light background, for a skin that has both. */
  readonly lightColors?: SkinColors | undefined;
  /** Secondary text is dimmed by the terminal, which may make it too faint to read. */
  readonly hasDimText: boolean;
  readonly spinner: SpinnerSkin;
  readonly branding: Branding;
  readonly toolPrefix: string;
  readonly toolEmojis: Readonly<Record<string, string>>;
  readonly bannerLogo: string;
  readonly bannerHero: string;
}

/** What a skin says differently from the default one. */
export interface SkinChange {
  readonly name: string;
  readonly description: string;
  readonly colors?: Partial<SkinColors>;
  readonly lightColors?: SkinColors;
  readonly hasDimText?: boolean;
  readonly spinner?: Partial<SpinnerSkin>;
  readonly branding?: Partial<Branding>;
  readonly toolPrefix?: string;
  readonly toolEmojis?: Readonly<Record<string, string>>;
  readonly bannerLogo?: string;
  readonly bannerHero?: string;
}

export function applySkin(base: Skin, change: SkinChange): Skin {
  return {
    name: change.name,
    description: change.description,
    colors: { ...base.colors, ...change.colors },
    lightColors: change.lightColors,
    hasDimText: change.hasDimText ?? base.hasDimText,
    spinner: { ...base.spinner, ...change.spinner },
    branding: { ...base.branding, ...change.branding },
    toolPrefix: change.toolPrefix ?? base.toolPrefix,
    toolEmojis: { ...base.toolEmojis, ...change.toolEmojis },
    bannerLogo: change.bannerLogo ?? base.bannerLogo,
    bannerHero: change.bannerHero ?? base.bannerHero,
  };
}
