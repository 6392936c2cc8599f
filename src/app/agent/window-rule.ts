import type { Config } from "#config";
import { UserError } from "#foundation/errors";
import { checkWindow, type Target, type WindowCheck } from "#model";

/** Whether work may begin with this model: by its window, and by what `model.allow_small_context` says about small ones. */
export function windowRule({ model, limits }: Target, config: Config): WindowCheck {
  const server = servers.find(([name]) => limits.windowSource?.startsWith(name))?.[1];
  return checkWindow(limits.contextWindow, {
    model,
    isSmallAllowed: config.model.allow_small_context,
    ...(server === undefined ? {} : { server }),
  });
}

/** Refuses to begin with a window that is too small; what should be known about one that was accepted. */
export function acceptWindow(target: Target, config: Config): string | undefined {
  const found = windowRule(target, config);
  if (found.kind === "refused") throw new UserError(found.message, { hint: found.hint, code: found.code });
  return found.kind === "warning" ? found.message : undefined;
}

/** Who said how large the window is, by the words that are shown for it. */
const servers = [
  ["Ollama", "ollama"],
  ["LM Studio", "lm-studio"],
  ["llama.cpp", "llama.cpp"],
  ["vLLM", "vllm"],
  ["SGLang", "sglang"],
] as const;
