import type { Skin } from "./skin.ts";
import type { StyleMap } from "./style.ts";

/** The style classes of everything that is drawn, from the colours of a skin. */
export function stylesOf(skin: Skin): StyleMap {
  const color = skin.colors;
  const bar = { bg: color.status_bar_bg };
  return {
    dim: { isDim: true },
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
    ghost: { isDim: true },
    placeholder: { isDim: true },
    "input-rule": { fg: color.input_rule },
    "response-border": { fg: color.response_border },
    "session-label": { fg: color.session_label },
    "session-border": { fg: color.session_border },
    user: { fg: color.ui_label },
    reasoning: { isDim: true, isItalic: true },
    tool: { isDim: true },
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
    "menu-meta": { bg: color.completion_menu_meta_bg, isDim: true },
    "menu-meta-current": { bg: color.completion_menu_meta_current_bg, isDim: true },
    selected: { fg: color.ui_accent, isBold: true },
    danger: { fg: color.ui_error, isBold: true },
    image: { fg: color.ui_label },
    ...markdownStyles(skin),
    ...codeStyles(skin),
  };
}

function markdownStyles({ colors: color }: Skin): StyleMap {
  return {
    heading: { fg: color.banner_title, isBold: true },
    strong: { isBold: true },
    emphasis: { isItalic: true },
    struck: { isStruck: true },
    link: { fg: color.ui_label, isUnderlined: true },
    quote: { isDim: true, isItalic: true },
    bullet: { fg: color.ui_accent },
    "code-inline": { fg: color.ui_accent },
    "code-border": { isDim: true },
    rule: { isDim: true },
    "diff-add": { fg: color.ui_ok },
    "diff-remove": { fg: color.ui_error },
    "diff-hunk": { fg: color.ui_label },
    "diff-file": { isBold: true },
  };
}

function codeStyles({ colors: color }: Skin): StyleMap {
  return {
    "code-keyword": { fg: color.ui_accent },
    "code-string": { fg: color.ui_ok },
    "code-comment": { isDim: true, isItalic: true },
    "code-number": { fg: color.ui_warn },
    "code-title": { fg: color.ui_label },
    "code-type": { fg: color.banner_title },
    "code-meta": { fg: color.banner_dim },
  };
}
