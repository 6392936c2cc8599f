import { shortWindow } from "#foundation/text/figures";

/** Below this a conversation with tools has no room to work. */
const smallestUsableWindow = 64_000;
/** So small that even an accepted window deserves a warning with the way to raise it. */
const tinyWindow = 8_192;

type LocalServer = "ollama" | "lm-studio" | "llama.cpp" | "vllm" | "sglang";

export type WindowCheck =
  | { readonly kind: "fits" }
  /** Shown for as long as the model is in use. */
  | { readonly kind: "warning"; readonly message: string }
  | { readonly kind: "refused"; readonly code: "context_too_small"; readonly message: string; readonly hint: string };

export interface WindowCheckOptions {
  readonly model: string;
  /** `model.allow_small_context`. */
  readonly isSmallAllowed: boolean;
  readonly server?: LocalServer;
}

/** Whether a model's window is large enough to begin with it; the same at start, on a switch and for scheduled jobs. */
export function checkWindow(tokens: number, options: WindowCheckOptions): WindowCheck {
  if (tokens >= smallestUsableWindow) return { kind: "fits" };
  const size = `${options.model} has a context window of ${shortWindow(tokens)} tokens`;
  if (options.isSmallAllowed) {
    const advice = tokens <= tinyWindow ? ` ${raiseWindow(options.server)}` : "";
    return { kind: "warning", message: `${size}; long work will be cut short.${advice}` };
  }
  return {
    kind: "refused",
    code: "context_too_small",
    message: `${size}; at least ${shortWindow(smallestUsableWindow)} are needed for work with tools.`,
    hint: `${raiseWindow(options.server)} If the number is wrong, run: hermes config set model.context_length <tokens>. To go on regardless: hermes config set model.allow_small_context true`,
  };
}

function raiseWindow(server: LocalServer | undefined): string {
  switch (server) {
    case "ollama":
      return "Start Ollama with OLLAMA_CONTEXT_LENGTH=65536.";
    case "lm-studio":
      return "Load the model again with a larger context length in its settings.";
    case "llama.cpp":
      return "Start the server with a larger window, for example -c 65536.";
    case "vllm":
      return "Start the server with --max-model-len 65536.";
    case "sglang":
      return "Start the server with --context-length 65536.";
    case undefined:
      return "Choose a model with a larger window.";
  }
}
