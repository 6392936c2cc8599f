import type { SkinChange } from "../skin.ts";

export const slate: SkinChange = {
  name: "slate",
  description: "Cool blue and grey, for long days",
  colors: {
    banner_border: "#4b647d",
    banner_title: "#9cc4ea",
    banner_accent: "#7aa6cf",
    banner_dim: "#5f7183",
    banner_text: "#d3dee8",
    ui_accent: "#7aa6cf",
    ui_label: "#8fb9a8",
    ui_ok: "#79b98f",
    ui_error: "#d97777",
    ui_warn: "#d9b36c",
    prompt: "#9cc4ea",
    input_rule: "#43586d",
    response_border: "#5f86ab",
    session_label: "#7aa6cf",
    session_border: "#43586d",
    status_bar_bg: "#1c2630",
    voice_status_bg: "#1c2630",
    completion_menu_bg: "#1f2a35",
    completion_menu_current_bg: "#34495e",
    completion_menu_meta_bg: "#1f2a35",
    completion_menu_meta_current_bg: "#34495e",
  },
};
