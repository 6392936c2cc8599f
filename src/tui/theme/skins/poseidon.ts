import type { SkinChange } from "../skin.ts";

export const poseidon: SkinChange = {
  name: "poseidon",
  description: "Deep sea blue and foam",
  colors: {
    banner_border: "#1f6f8b",
    banner_title: "#7fe0e6",
    banner_accent: "#38a3b5",
    banner_dim: "#4f7480",
    banner_text: "#d4eef0",
    ui_accent: "#38a3b5",
    ui_label: "#7fe0e6",
    prompt: "#7fe0e6",
    input_rule: "#1d566b",
    response_border: "#2c8ca3",
    session_label: "#38a3b5",
    session_border: "#1d566b",
    status_bar_bg: "#0f2530",
    voice_status_bg: "#0f2530",
    completion_menu_bg: "#112a36",
    completion_menu_current_bg: "#1d4a5d",
    completion_menu_meta_bg: "#112a36",
    completion_menu_meta_current_bg: "#1d4a5d",
  },
  spinner: {
    waitingFaces: ["(≈)", "(~)", "(∿)"],
    thinkingFaces: ["(≈)", "(~)", "(∿)", "(ψ)"],
    thinkingVerbs: ["sounding the depth", "reading currents", "drifting", "gathering the tide"],
    wings: [
      ["≋", "≋"],
      ["~", "~"],
    ],
  },
  branding: { agentName: "Poseidon", responseLabel: "ψ Poseidon", promptSymbol: "ψ ❯", goodbye: "Fair winds. ψ" },
  toolPrefix: "│",
};
