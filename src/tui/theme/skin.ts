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
  readonly colors: Readonly<Record<ColorKey, string>>;
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
  readonly colors?: Partial<Skin["colors"]>;
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
    spinner: { ...base.spinner, ...change.spinner },
    branding: { ...base.branding, ...change.branding },
    toolPrefix: change.toolPrefix ?? base.toolPrefix,
    toolEmojis: { ...base.toolEmojis, ...change.toolEmojis },
    bannerLogo: change.bannerLogo ?? base.bannerLogo,
    bannerHero: change.bannerHero ?? base.bannerHero,
  };
}
