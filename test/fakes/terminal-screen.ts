/** A terminal in memory, read cell by cell: see the driver of the terminal UI. */
export { type FakeScreenOptions, TerminalScreen } from "../../src/tui/testing/terminal-screen.ts";
