import { type Config, isPlatformId } from "#config";
import type { Platform } from "../platform/platform.ts";

/** How much of a turn one platform's chats see while it runs. */
export interface LiveSettings {
  readonly streams: boolean;
  readonly editIntervalMs: number;
  readonly cursor: string;
  /** How much of an answer is held to be shown while it grows; the rest is seen when it is finished. */
  readonly bufferBytes: number;
  readonly toolProgress: "off" | "new" | "all" | "verbose";
  readonly previewLength: number;
  readonly interimTexts: boolean;
  readonly showReasoning: boolean;
  /** The message that is worked on is marked. */
  readonly reacts: boolean;
}

const usualPreview = 40;
const progressOf = { high: "all", medium: "new", low: "off", minimal: "off" } as const;

/** What is set for the platform counts, then what is set for all, then what its kind is used to. */
export function liveSettings(config: Config, platform: Platform): LiveSettings {
  const { id, capabilities } = platform;
  const { display, streaming } = config;
  const own = display.platforms[id];
  const { tier } = capabilities;
  const canEdit = capabilities.canEdit || platform.canEditWith?.(config) === true;
  const mayStream = tier === "high" || tier === "medium";
  // The usual value of the terminal says nothing about a platform that is used to less.
  const general = display.tool_progress === "all" ? progressOf[tier] : display.tool_progress;
  const preview = own?.tool_preview_length ?? display.tool_preview_length;
  return {
    streams: canEdit && streaming.transport === "edit" && (own?.streaming ?? (mayStream && streaming.enabled)),
    editIntervalMs: streaming.edit_interval * 1000,
    cursor: streaming.cursor,
    bufferBytes: config.gateway.limits.stream_buffer_bytes,
    toolProgress: canEdit ? (own?.tool_progress ?? general) : "off",
    previewLength: preview > 0 ? preview : usualPreview,
    interimTexts: own?.interim_assistant_messages ?? display.interim_assistant_messages,
    reacts: capabilities.canReact && isPlatformId(id) && config[id].reactions === true,
    showReasoning: own?.show_reasoning ?? display.show_reasoning,
  };
}
