import { describe } from "#foundation/errors";
import type { SessionEvent } from "../api.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { BackgroundWork } from "../turns/background-work.ts";

const longToolMs = 30_000;

const texts = {
  busy_input: "A message during a turn interrupts it and is answered next. /busy queue or /busy steer changes that.",
  long_tool:
    "Tools can take a while. /verbose changes how much of them is shown; /background runs work alongside the conversation.",
} as const;

type Hint = keyof typeof texts;

/** The screen of the terminal gives hints in words of its own. */
const hasOwnHints: ReadonlySet<string> = new Set(["cli", "tui"]);

export interface HintsDeps {
  readonly session: SessionDeps;
  readonly source: string;
  readonly work: BackgroundWork;
  emit(event: SessionEvent): void;
}

/** Hints for somebody new: each is shown once, and never again in this profile. Without saved settings none is shown. */
export class Hints {
  readonly #deps: HintsDeps;
  readonly #shown = new Set<string>();

  constructor(deps: HintsDeps) {
    this.#deps = deps;
  }

  /** A message has just stopped a turn. */
  interrupted(): void {
    this.#deps.work.start("hint", () => this.#show("busy_input"));
  }

  note(event: SessionEvent): void {
    const isLong = event.type === "tool-end" && event.durationMs >= longToolMs;
    if (isLong && this.#deps.session.settings.toolProgress === "all")
      this.#deps.work.start("hint", () => this.#show("long_tool"));
  }

  async #show(hint: Hint): Promise<void> {
    const { preferences, settings, logger } = this.#deps.session;
    if (
      hasOwnHints.has(this.#deps.source) ||
      preferences === undefined ||
      settings.seenHints.includes(hint) ||
      this.#shown.has(hint)
    )
      return;
    this.#shown.add(hint);
    this.#deps.emit({ type: "notice", level: "info", text: texts[hint] });
    try {
      await preferences.save(`onboarding.seen.${hint}`, true);
    } catch (error) {
      logger.debug("a hint could not be marked as seen", { hint, error: describe(error) });
    }
  }
}
