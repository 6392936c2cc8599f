import { profile } from "./provider.ts";

export const minimax = profile({
  id: "minimax",
  label: "MiniMax",
  baseUrl: "https://api.minimax.io/anthropic",
  baseUrlEnv: ["MINIMAX_BASE_URL"],
  keyEnv: ["MINIMAX_API_KEY"],
  protocol: "anthropic_messages",
  curatedModels: ["MiniMax-M2.7"],
  auxModel: "MiniMax-M2.7",
  modelNaming: "as-given",
});

export const minimaxChina = profile({
  id: "minimax-cn",
  label: "MiniMax (China)",
  aliases: ["minimax-china", "minimax_cn"],
  baseUrl: "https://api.minimaxi.com/anthropic",
  baseUrlEnv: ["MINIMAX_CN_BASE_URL"],
  keyEnv: ["MINIMAX_CN_API_KEY"],
  protocol: "anthropic_messages",
  curatedModels: ["MiniMax-M2.7"],
  auxModel: "MiniMax-M2.7",
  modelNaming: "as-given",
});
