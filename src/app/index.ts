/** The composition root: everything is built here once, handed over, and disposed in reverse. */
export { openPlainSession, type PlainSession, type PlainSessionOptions } from "./plain-session.ts";
export type { PlainScreen } from "./plain-turn.ts";
export type { ObservedTurn, Toolbox } from "./toolbox.ts";
export { openToolbox, type ToolboxOptions } from "./wire-tools.ts";
