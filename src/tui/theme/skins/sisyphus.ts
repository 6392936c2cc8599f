import type { SkinChange } from "../skin.ts";

export const sisyphus: SkinChange = {
  name: "sisyphus",
  description: "Stone grey, with patience",
  colors: {
    banner_border: "#7d7468",
    banner_title: "#d9cfbf",
    banner_accent: "#b39b7a",
    banner_dim: "#78716a",
    banner_text: "#ddd6ca",
    ui_accent: "#b39b7a",
    ui_label: "#a3b18a",
    prompt: "#d9cfbf",
    input_rule: "#5f5850",
    response_border: "#978b7b",
    session_label: "#b39b7a",
    session_border: "#5f5850",
    status_bar_bg: "#24211e",
    voice_status_bg: "#24211e",
    completion_menu_bg: "#282521",
    completion_menu_current_bg: "#48423a",
    completion_menu_meta_bg: "#282521",
    completion_menu_meta_current_bg: "#48423a",
  },
  spinner: {
    waitingFaces: ["(●)", "(◐)", "(◓)", "(◑)"],
    thinkingFaces: ["(●)", "(◐)", "(◓)", "(◑)"],
    thinkingVerbs: ["pushing", "almost there", "once more", "uphill"],
    wings: [["⟋", "⟍"]],
  },
  branding: {
    agentName: "Sisyphus",
    responseLabel: "● Sisyphus",
    promptSymbol: "● ❯",
    goodbye: "Same hill tomorrow. ●",
  },
};
