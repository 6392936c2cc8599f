import {
  amount,
  choice,
  flag,
  freeMap,
  group,
  mapOf,
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
      compact: flag(false, "Use fewer lines on the screen."),
      skin: text("default", "Colours and symbols (`/skin` lists them)."),
      personality: text("kawaii", {
        description: "Personality of new sessions. Sent to the model only once you have chosen one.",
        reload: "restart",
      }),
      resume_display: choice(["full", "minimal"], "full", "How much of a resumed session to show."),
      streaming: flag(true, "Show answers as they stream in."),
      show_reasoning: flag(false, "Show the model's reasoning."),
      vim_mode: flag(false, "Edit messages with vi keys. Esc leaves insert mode."),
      show_cost: flag(false, "Show the cost of the session in the status line."),
      bell_on_complete: flag(false, "Ring the terminal bell when a turn ends."),
      inline_diffs: flag(true, "Show file changes as they are made."),
      tool_progress: choice(
        toolProgress,
        "all",
        "Lines about tool calls: `off` none, `new` when the tool changes, `all` every call, `verbose` with arguments.",
      ),
      tool_preview_length: whole(0, "Maximum characters of a tool's arguments. 0: default length."),
      tool_progress_command: flag(false, {
        description: "Offer `/verbose` in chats.",
        reload: "restart",
      }),
      final_response_markdown: choice(
        ["render", "strip", "raw"],
        "render",
        "Whether Markdown in answers is rendered, stripped or shown as is.",
      ),
      busy_input_mode: choice(["interrupt", "queue", "steer"], "interrupt", {
        description: "What a message sent during a turn does: stop the turn, wait for its end, or be added to it.",
        reload: "restart",
      }),
      alt_screen: flag(false, { description: "Use the terminal's alternate screen.", reload: "restart" }),
      image_mode: choice(["auto", "describe", "native"], "auto", {
        description:
          "Send images to the model (`native`) or a description of them (`describe`). `auto`: whichever the model supports.",
        reload: "restart",
      }),
      user_message_preview: section("How your long messages are shown.", {
        first_lines: whole(2, "Lines shown from the start."),
        last_lines: whole(2, "Lines shown from the end."),
      }),
      details_mode: choice(detail, "collapsed", "How details of a turn are shown initially."),
      sections: section("The same, per kind of detail.", {
        thinking: choice(detail, "expanded", "Reasoning."),
        tools: choice(detail, "expanded", "Tool calls."),
        subagents: optionalChoice(detail, "Child agents. Not set: as `details_mode`."),
        activity: choice(detail, "hidden", "Event log."),
      }),
      mouse_tracking: flag(true, {
        description: "React to the mouse.",
        noEffect: "The mouse belongs to your terminal, which selects and scrolls with it as everywhere else.",
      }),
      interim_assistant_messages: flag(true, {
        description: "Send what the model writes between tool calls.",
        reload: "restart",
      }),
      platforms: mapOf(
        group({
          tool_progress: optionalChoice(toolProgress, "Lines about tool calls."),
          show_reasoning: optionalFlag("Show the model's reasoning."),
          tool_preview_length: optionalWhole("Maximum characters of a tool's arguments."),
          streaming: optionalFlag("Show answers as they stream in."),
          interim_assistant_messages: optionalFlag("Send what the model writes between tool calls."),
        }),
        { description: "Overrides per platform.", reload: "restart" },
      ),
      background_process_notifications: choice(["all", "result", "error", "off"], "all", {
        description:
          "What a session is told about its background processes: `all` watched output and results, `result` results, `error` failures, `off` nothing.",
        reload: "restart",
      }),
    },
  ),
  dashboard: section(
    { description: "The dashboard in the browser.", category: "Display", reload: "now" },
    {
      theme: choice(
        ["default", "midnight", "ember", "mono", "cyberpunk", "rose"],
        "default",
        "Colours of the page. `default`, `mono` and `rose` are light or dark as your browser is; the others are dark.",
      ),
    },
  ),
  onboarding: section(
    { description: "Hints already shown.", category: "Display", reload: "restart" },
    { seen: freeMap("Hints that have been shown.") },
  ),
  human_delay: section(
    {
      description: "Pauses before chat messages, as if typed by a person.",
      category: "Display",
      reload: "restart",
    },
    {
      mode: choice(["off", "natural", "custom"], "off", "`off`, `natural`, or `custom` with the range below."),
      min_ms: amount(800, "Minimum pause in milliseconds."),
      max_ms: amount(2500, "Maximum pause in milliseconds."),
    },
  ),
};
