import type { ConsoleLog } from "./page/console-log.ts";
import type { DialogSupervisor } from "./page/dialogs.ts";

export type DriverKind = "local" | "cdp" | "cloud" | "camofox";

export interface Visit {
  readonly url: string;
  readonly title: string;
  /** Every address on the way, the final one included. */
  readonly hops: readonly string[];
}

export interface PageImage {
  readonly src: string;
  readonly alt: string;
  readonly width: number;
  readonly height: number;
}

/** A mark drawn on a screenshot. */
export interface Annotation {
  readonly label: number;
  readonly ref: string;
  readonly role: string;
  readonly name: string;
}

export interface Screenshot {
  readonly png: Uint8Array;
  readonly annotations?: readonly Annotation[];
}

export interface CdpCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly targetId?: string | undefined;
  readonly frameId?: string | undefined;
  readonly timeoutMs: number;
}

/** An action ended, or a dialog opened and holds the page until it is answered. */
export type ActionEnd = { readonly kind: "done" } | { readonly kind: "dialog" };

/**
 * One browser page under our control. Refs are those of the last outline, without the `@`.
 * Rejects with a `ToolFailure` for what the model can act on.
 */
export interface BrowserDriver extends AsyncDisposable {
  readonly kind: DriverKind;
  /** Which provider or program it is. */
  readonly label: string;
  /** Fields every navigation reports: `fallback_from_cloud`, `stealth_features`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly dialogs?: DialogSupervisor;
  readonly log?: ConsoleLog;
  /** False once the browser is gone. */
  readonly isAlive: boolean;
  url(): string;
  /** The hop that was stopped since this was last asked: by a redirect, a click or a script. */
  takeRefused?(): { readonly url: string; readonly reason: string } | undefined;
  navigate(url: string, signal: AbortSignal): Promise<Visit>;
  /** The accessibility tree as text, refs written `[ref=e5]`. */
  outline(signal: AbortSignal): Promise<string>;
  click(ref: string, signal: AbortSignal): Promise<ActionEnd>;
  type(ref: string, text: string, signal: AbortSignal): Promise<{ readonly isPassword: boolean }>;
  scroll(direction: "up" | "down", signal: AbortSignal): Promise<void>;
  back(signal: AbortSignal): Promise<string>;
  press(key: string, signal: AbortSignal): Promise<ActionEnd>;
  images(signal: AbortSignal): Promise<readonly PageImage[]>;
  screenshot(isAnnotated: boolean, signal: AbortSignal): Promise<Screenshot>;
  evaluate(expression: string, signal: AbortSignal): Promise<unknown>;
  frames?(): readonly Readonly<Record<string, unknown>>[];
  cdp?(call: CdpCall, signal: AbortSignal): Promise<unknown>;
}
