import type { Background, Skin, SkinColors } from "./skin.ts";
import type { Style, StyleMap } from "./style.ts";

/** The style classes of everything that is drawn, from the colours a skin has on this background. */
export function stylesOf(skin: Skin, background: Background = "dark"): StyleMap {
  const color = (background === "light" ? skin.lightColors : undefined) ?? skin.colors;
  const dim: Style = skin.hasDimText ? { isDim: true } : {};
  // What is not typed yet must look different from what is.
  const ghost: Style = skin.hasDimText ? dim : { isItalic: true };
  const bar = { bg: color.status_bar_bg };
  return {
    dim,
    bold: { isBold: true },
    accent: { fg: color.ui_accent },
    label: { fg: color.ui_label },
    ok: { fg: color.ui_ok },
    error: { fg: color.ui_error },
    warn: { fg: color.ui_warn },
    "banner-border": { fg: color.banner_border },
    "banner-title": { fg: color.banner_title, isBold: true },
    "banner-accent": { fg: color.banner_accent },
    "banner-dim": { fg: color.banner_dim },
    "banner-text": { fg: color.banner_text },
    prompt: { fg: color.prompt, isBold: true },
    ghost,
    placeholder: ghost,
    "input-rule": { fg: color.input_rule },
    "response-border": { fg: color.response_border },
    "session-label": { fg: color.session_label },
    "session-border": { fg: color.session_border },
    user: { fg: color.ui_label },
    reasoning: { ...dim, isItalic: true },
    tool: dim,
    "tool-error": { fg: color.ui_error },
    "status-bar": { ...bar },
    "status-model": { ...bar, fg: color.banner_title, isBold: true },
    "status-dim": { ...bar, fg: color.banner_dim },
    "status-good": { ...bar, fg: color.ui_ok },
    "status-warn": { ...bar, fg: color.ui_warn },
    "status-bad": { ...bar, fg: color.banner_accent, isBold: true },
    "status-critical": { ...bar, fg: color.ui_error, isBold: true },
    voice: { bg: color.voice_status_bg, fg: color.ui_label },
    "voice-recording": { bg: color.voice_status_bg, fg: color.ui_error, isBold: true },
    menu: { bg: color.completion_menu_bg },
    "menu-current": { bg: color.completion_menu_current_bg, isBold: true },
    "menu-meta": { bg: color.completion_menu_meta_bg, ...dim },
    "menu-meta-current": { bg: color.completion_menu_meta_current_bg, ...dim },
    selected: { fg: color.ui_accent, isBold: true },
    danger: { fg: color.ui_error, isBold: true },
    image: { fg: color.ui_label },
    ...markdownStyles(color, dim),
    ...codeStyles(color, dim),
  };
}

function markdownStyles(color: SkinColors, dim: Style): StyleMap {
  return {
    heading: { fg: color.banner_title, isBold: true },
    strong: { isBold: true },
    emphasis: { isItalic: true },
    struck: { isStruck: true },
    link: { fg: color.ui_label, isUnderlined: true },
    quote: { ...dim, isItalic: true },
    bullet: { fg: color.ui_accent },
    "code-inline": { fg: color.ui_accent },
    "code-border": dim,
    rule: dim,
    "diff-add": { fg: color.ui_ok },
    "diff-remove": { fg: color.ui_error },
    "diff-hunk": { fg: color.ui_label },
    "diff-file": { isBold: true },
  };
}

function codeStyles(color: SkinColors, dim: Style): StyleMap {
  return {
    "code-keyword": { fg: color.ui_accent },
    "code-string": { fg: color.ui_ok },
    "code-comment": { ...dim, isItalic: true },
    "code-number": { fg: color.ui_warn },
    "code-title": { fg: color.ui_label },
    "code-type": { fg: color.banner_title },
    "code-meta": { fg: color.banner_dim },
  };
}
