import type { SkinChange } from "../skin.ts";

export const charizard: SkinChange = {
  name: "charizard",
  description: "Flame orange on ember",
  colors: {
    banner_border: "#c4561b",
    banner_title: "#ffb347",
    banner_accent: "#f2762e",
    banner_dim: "#87624b",
    banner_text: "#f7e2cf",
    ui_accent: "#f2762e",
    ui_label: "#4fb3bf",
    prompt: "#ffb347",
    input_rule: "#84401c",
    response_border: "#d9661f",
    session_label: "#f2762e",
    session_border: "#7a3e20",
    status_bar_bg: "#2a1a10",
    voice_status_bg: "#2a1a10",
    completion_menu_bg: "#2c1c12",
    completion_menu_current_bg: "#5a3418",
    completion_menu_meta_bg: "#2c1c12",
    completion_menu_meta_current_bg: "#5a3418",
  },
  spinner: {
    waitingFaces: ["(✦)", "(✧)"],
    thinkingFaces: ["(✦)", "(✧)", "(▲)", "(^ᴥ^)"],
    thinkingVerbs: ["heating up", "spreading wings", "breathing in", "circling"],
    wings: [
      ["⟨", "⟩"],
      ["✦", "✦"],
    ],
  },
  branding: {
    agentName: "Charizard",
    responseLabel: "✦ Charizard",
    promptSymbol: "✦ ❯",
    goodbye: "The embers keep. ✦",
  },
};
