/** The interactive terminal: draws what a session says, and hands it what a person types. */
export type { RunTuiOptions, VoiceControl } from "./app/options.ts";
export type { TerminalAsker } from "./ask/terminal-asker.ts";
export type {
  InputArea,
  KeybindingOptions,
  KeybindingRegistry,
  LayoutSlots,
  TuiContext,
  TuiExtension,
  Widget,
} from "./extension.ts";
export type { ApprovalQuestion, TuiFacts, TuiHandle } from "./handle.ts";
export { HermesCli } from "./hermes-cli.ts";
export type { RunShell, ShellRun } from "./input/inline-shell.ts";
export type { KeyEvent } from "./input/key-event.ts";
export { openTerminalAsker, runTui } from "./run-tui.ts";
export {
  type DetailMode,
  type Details,
  defaultTuiSettings,
  type MarkdownMode,
  type ToolProgress,
  type TuiSettings,
} from "./settings.ts";
export type { VoiceState } from "./state/state.ts";
export { ProcessTerminal } from "./terminal/process-terminal.ts";
export type { TerminalListener, TuiTerminal } from "./terminal/terminal.ts";
export type { Line, Span, StyledLine } from "./text/styled.ts";
export type { Style, StyleMap } from "./theme/style.ts";
export type { BannerFacts } from "./view/banner.ts";
