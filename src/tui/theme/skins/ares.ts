import type { SkinChange } from "../skin.ts";

export const ares: SkinChange = {
  name: "ares",
  description: "Crimson and bronze, for hard problems",
  colors: {
    banner_border: "#9b2d2d",
    banner_title: "#ff6b5a",
    banner_accent: "#d9822b",
    banner_dim: "#7d5a55",
    banner_text: "#f0d9d3",
    ui_accent: "#d9822b",
    ui_label: "#ff8f7a",
    prompt: "#ff6b5a",
    input_rule: "#7a2a2a",
    response_border: "#b23b3b",
    session_label: "#d9822b",
    session_border: "#6b3030",
    status_bar_bg: "#2a1616",
    voice_status_bg: "#2a1616",
    completion_menu_bg: "#2a1818",
    completion_menu_current_bg: "#562525",
    completion_menu_meta_bg: "#2a1818",
    completion_menu_meta_current_bg: "#562525",
  },
  spinner: {
    waitingFaces: ["(⚔)", "(⛨)"],
    thinkingFaces: ["(⚔)", "(⛨)", "(▲)"],
    thinkingVerbs: ["planning the attack", "holding the line", "sharpening", "advancing"],
    wings: [
      ["⟪", "⟫"],
      ["‹", "›"],
    ],
  },
  branding: { agentName: "Ares", responseLabel: "⚔ Ares", promptSymbol: "⚔ ❯", goodbye: "The field is yours. ⚔" },
  toolPrefix: "╎",
};
