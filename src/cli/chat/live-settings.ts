import { isDeepStrictEqual } from "node:util";
import { type Config, changedSettings } from "#config";
import type { TuiHandle, TuiSettings } from "#tui";
import type { ChatRequest } from "./chat-request.ts";

/** What commands of the chat write into the file themselves: it counts in this chat already. */
const ownSettings = [
  "onboarding",
  "command_allowlist",
  "model",
  "custom_providers",
  "agent.reasoning_effort",
  "agent.service_tier",
  "display.busy_input_mode",
  "display.personality",
];

/** Brings changes of the settings file to an open chat: what counts at once is drawn, anything else is announced. */
export class LiveSettings {
  readonly #screen: TuiHandle;
  readonly #atStart: Config;
  readonly #request: ChatRequest;
  #drawn: Partial<TuiSettings>;

  constructor(screen: TuiHandle, atStart: Config, request: ChatRequest) {
    this.#screen = screen;
    this.#atStart = atStart;
    this.#request = request;
    this.#drawn = drawnSettings(atStart, request);
  }

  /** Only what differs is told: what the person chose in this chat stays. The mark goes when nothing waits any more. */
  async tell(now: Config): Promise<void> {
    const before = this.#drawn;
    this.#drawn = drawnSettings(now, this.#request);
    const settings = Object.fromEntries(
      Object.entries(this.#drawn).filter(([key, value]) => !isDeepStrictEqual(value, before[key as keyof TuiSettings])),
    );
    const changed = await changedSettings(this.#atStart, now);
    const waiting = changed.filter(({ key, reload }) => reload !== "now" && !isOwn(key));
    this.#screen.tell({ isConfigChanged: waiting.length > 0, settings });
  }
}

function isOwn(key: string): boolean {
  return ownSettings.some((own) => key === own || key.startsWith(`${own}.`) || key.startsWith(`${own}[`));
}

/** What the screen starts with. */
export function tuiSettings(config: Config, request: ChatRequest): Partial<TuiSettings> {
  const { display, approvals, clarify, onboarding } = config;
  return {
    ...drawnSettings(config, request),
    busyInputMode: display.busy_input_mode,
    altScreen: display.alt_screen,
    approvalTimeoutMs: approvals.timeout * 1000,
    clarifyTimeoutMs: clarify.timeout * 1000,
    seenHints: Object.keys(onboarding.seen),
  };
}

/** What may change while the chat is open; in the sections of the settings these are the keys that count at once. */
function drawnSettings({ agent, display }: Config, { isVerbose }: ChatRequest): Partial<TuiSettings> {
  const { sections } = display;
  return {
    skin: display.skin,
    isCompact: display.compact,
    toolProgress: isVerbose || agent.verbose ? "verbose" : display.tool_progress,
    toolPreviewLength: display.tool_preview_length,
    showReasoning: display.show_reasoning,
    showCost: display.show_cost,
    isVim: display.vim_mode,
    markdown: display.final_response_markdown,
    streaming: display.streaming,
    bellOnComplete: display.bell_on_complete,
    inlineDiffs: display.inline_diffs,
    resumeDisplay: display.resume_display,
    details: {
      thinking: sections.thinking,
      tools: sections.tools,
      subagents: sections.subagents ?? display.details_mode,
      activity: sections.activity,
    },
    userPreview: {
      firstLines: display.user_message_preview.first_lines,
      lastLines: display.user_message_preview.last_lines,
    },
  };
}
