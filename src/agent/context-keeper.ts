import type { ModelRequest } from "#model";
import type { Turn } from "./turn/turn.ts";

/** Keeps a turn's context within the window. What does the compressing stands behind this. */
export interface ContextKeeper {
  /** Before the first step of a turn (`preflight`) and before each later one; does nothing while there is room. */
  fit(turn: Turn, moment: "preflight" | "step"): Promise<void>;
  /** The provider refused the size. True when the context is smaller now, so that another attempt makes sense. */
  relieve(turn: Turn, cause: "context_overflow" | "payload_too_large" | "long_context_tier"): Promise<boolean>;
}

export interface ContextKeeperDeps {
  /** The request as it would go out now, without being sent. */
  previewRequest(turn: Turn): Promise<ModelRequest>;
}

/** For turns that must not be changed: training data, and tests of other things. */
export const keepEverything: ContextKeeper = {
  fit: () => Promise.resolve(),
  relieve: () => Promise.resolve(false),
};
