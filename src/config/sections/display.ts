import {
  amount,
  choice,
  flag,
  freeMap,
  group,
  mapOf,
  missing,
  optionalChoice,
  optionalFlag,
  optionalWhole,
  section,
  text,
  whole,
} from "./setting.ts";

const toolProgress = ["off", "new", "all", "verbose"] as const;
const detail = ["expanded", "collapsed", "hidden"] as const;

export const displaySections = {
  display: section(
    { description: "What is shown, and how.", category: "Display", reload: "now" },
    {
      compact: flag(false, "Use fewer lines."),
      skin: text("default", "Colours and symbols."),
      personality: text("kawaii", {
        description: "Personality a new session starts with; the model hears of it once you have chosen one.",
        reload: "restart",
      }),
      resume_display: choice(["full", "minimal"], "full", "How much of a resumed session is shown again."),
      streaming: flag(true, "Show answers while they are written."),
      show_reasoning: flag(false, "Show the model's reasoning."),
      show_cost: flag(false, "Show what a session has cost."),
      bell_on_complete: flag(false, "Ring the terminal bell when a turn ends."),
      inline_diffs: flag(true, "Show file changes as they are made."),
      tool_progress: choice(
        toolProgress,
        "all",
        "Lines about running tools: none, changes of tool, every call, full detail.",
      ),
      tool_preview_length: whole(0, "Most characters of a tool's arguments; 0 is the usual length."),
      tool_progress_command: flag(false, {
        description: "Offer the command that changes tool lines in chats.",
        reload: "restart",
      }),
      final_response_markdown: choice(["render", "strip", "raw"], "render", "What happens to markdown in answers."),
      busy_input_mode: choice(["interrupt", "queue", "steer"], "interrupt", {
        description: "A message during a turn stops it, waits for its end, or is handed into it.",
        reload: "restart",
      }),
      alt_screen: flag(false, { description: "Use the terminal's second screen.", reload: "restart" }),
      image_mode: choice(["auto", "describe", "native"], "auto", {
        description: "Hand images to the model, or a description of them.",
        reload: "restart",
      }),
      user_message_preview: section("How a long message of yours is shown.", {
        first_lines: whole(2, "Lines from its start."),
        last_lines: whole(2, "Lines from its end."),
      }),
      details_mode: choice(detail, "collapsed", "How details of a turn are shown at first."),
      sections: section("The same for single kinds of detail.", {
        thinking: choice(detail, "expanded", "Reasoning."),
        tools: choice(detail, "expanded", "Tool calls."),
        subagents: optionalChoice(detail, "Child agents; absent follows `details_mode`."),
        activity: choice(detail, "hidden", "Log of events."),
      }),
      mouse_tracking: flag(true, {
        description: "React to the mouse.",
        noEffect: "The mouse belongs to your terminal, which selects and scrolls with it as everywhere else.",
      }),
      interim_assistant_messages: flag(true, {
        description: "Send text the model writes between tool calls.",
        reload: "restart",
      }),
      platforms: mapOf(
        group({
          tool_progress: optionalChoice(toolProgress, "Lines about running tools."),
          show_reasoning: optionalFlag("Show the model's reasoning."),
          tool_preview_length: optionalWhole("Most characters of a tool's arguments."),
          streaming: optionalFlag("Show answers while they are written."),
          interim_assistant_messages: optionalFlag("Send text the model writes between tool calls."),
        }),
        { description: "Own values for single platforms.", reload: "restart" },
      ),
      background_process_notifications: choice(["all", "result", "error", "off"], "all", {
        description:
          "Reports of background processes to their session: what is watched for and how they ended, how they ended, failures, none.",
        reload: "restart",
      }),
    },
  ),
  dashboard: section(
    { description: "The dashboard in the browser.", category: "Display", reload: "now", noEffect: missing.dashboard },
    { theme: text("default", "Colours.") },
  ),
  onboarding: section(
    { description: "Hints already shown.", category: "Display", reload: "restart" },
    { seen: freeMap("Which hints have been shown.") },
  ),
  human_delay: section(
    {
      description: "Pauses that make chat answers feel typed.",
      category: "Display",
      reload: "restart",
    },
    {
      mode: choice(["off", "natural", "custom"], "off", "No pause, a usual one, or the range below."),
      min_ms: amount(800, "Shortest pause in milliseconds."),
      max_ms: amount(2500, "Longest pause in milliseconds."),
    },
  ),
};
