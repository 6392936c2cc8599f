import type { AgentEvent } from "#conversation";
import { describe } from "#foundation/errors";
import type { SessionEvent } from "./api.ts";
import type { SessionDeps } from "./session-deps.ts";

const longToolMs = 30_000;

const texts = {
  busy_input: "A message during a turn stops it and is answered next. /busy queue or /busy steer changes that.",
  long_tool:
    "Tools can take a while. /verbose changes how much is shown of them; /background runs things beside the conversation.",
} as const;

type Hint = keyof typeof texts;

/** The screen of the terminal gives hints in words of its own. */
const hasOwnHints: ReadonlySet<string> = new Set(["cli", "tui"]);

/** Hints for somebody new: each is shown once, and never again in this profile. Without saved settings none is shown. */
export class Hints {
  readonly #deps: SessionDeps;
  readonly #emit: (event: SessionEvent) => void;
  readonly #isSilent: boolean;
  readonly #shown = new Set<string>();

  constructor(deps: SessionDeps, emit: (event: SessionEvent) => void, source: string) {
    this.#deps = deps;
    this.#emit = emit;
    this.#isSilent = hasOwnHints.has(source);
  }

  /** A message has just stopped a turn. */
  async interrupted(): Promise<void> {
    await this.#show("busy_input");
  }

  async see(event: AgentEvent): Promise<void> {
    const isLong = event.type === "tool-end" && event.durationMs >= longToolMs;
    if (isLong && this.#deps.settings.toolProgress === "all") await this.#show("long_tool");
  }

  async #show(hint: Hint): Promise<void> {
    const { preferences, settings, logger } = this.#deps;
    if (this.#isSilent || preferences === undefined || settings.seenHints.includes(hint) || this.#shown.has(hint))
      return;
    this.#shown.add(hint);
    this.#emit({ type: "notice", level: "info", text: texts[hint] });
    try {
      await preferences.save(`onboarding.seen.${hint}`, true);
    } catch (error) {
      logger.debug("a hint could not be marked as seen", { hint, error: describe(error) });
    }
  }
}
