import type { SkinChange } from "../skin.ts";

export const mono: SkinChange = {
  name: "mono",
  description: "Greys only",
  colors: {
    banner_border: "#6c6c6c",
    banner_title: "#eeeeee",
    banner_accent: "#bcbcbc",
    banner_dim: "#767676",
    banner_text: "#d0d0d0",
    ui_accent: "#bcbcbc",
    ui_label: "#a8a8a8",
    ui_ok: "#c6c6c6",
    ui_error: "#eeeeee",
    ui_warn: "#dadada",
    prompt: "#eeeeee",
    input_rule: "#585858",
    response_border: "#8a8a8a",
    session_label: "#bcbcbc",
    session_border: "#585858",
    status_bar_bg: "#262626",
    voice_status_bg: "#262626",
    completion_menu_bg: "#262626",
    completion_menu_current_bg: "#4e4e4e",
    completion_menu_meta_bg: "#262626",
    completion_menu_meta_current_bg: "#4e4e4e",
  },
};
