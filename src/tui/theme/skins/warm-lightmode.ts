import type { SkinChange } from "../skin.ts";

export const warmLightmode: SkinChange = {
  name: "warm-lightmode",
  description: "Brown ink on cream, for light terminals",
  colors: {
    banner_border: "#a0672c",
    banner_title: "#6b3e12",
    banner_accent: "#9c5a1a",
    banner_dim: "#8c7b68",
    banner_text: "#3a2c1c",
    ui_accent: "#9c5a1a",
    ui_label: "#3f6b4f",
    ui_ok: "#3d7a37",
    ui_error: "#ab3320",
    ui_warn: "#8f6200",
    prompt: "#6b3e12",
    input_rule: "#cdb495",
    response_border: "#a0672c",
    session_label: "#9c5a1a",
    session_border: "#cdb495",
    status_bar_bg: "#f0e4d2",
    voice_status_bg: "#f0e4d2",
    completion_menu_bg: "#f5ecdf",
    completion_menu_current_bg: "#e2cba9",
    completion_menu_meta_bg: "#f5ecdf",
    completion_menu_meta_current_bg: "#e2cba9",
  },
};
