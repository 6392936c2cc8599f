import type { SkinChange } from "../skin.ts";

export const daylight: SkinChange = {
  name: "daylight",
  description: "Dark ink and blue, for light terminals",
  colors: {
    banner_border: "#3a6ea5",
    banner_title: "#12406f",
    banner_accent: "#1d5fa0",
    banner_dim: "#6a7480",
    banner_text: "#1f2933",
    ui_accent: "#1d5fa0",
    ui_label: "#0f6f78",
    ui_ok: "#1c7a3a",
    ui_error: "#b3261e",
    ui_warn: "#8a5a00",
    prompt: "#12406f",
    input_rule: "#9fb3c8",
    response_border: "#3a6ea5",
    session_label: "#1d5fa0",
    session_border: "#9fb3c8",
    status_bar_bg: "#dde6ef",
    voice_status_bg: "#dde6ef",
    completion_menu_bg: "#e8eef4",
    completion_menu_current_bg: "#bcd0e5",
    completion_menu_meta_bg: "#e8eef4",
    completion_menu_meta_current_bg: "#bcd0e5",
  },
};
