import type { SessionId } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { OpenSession } from "#session";
import type { TuiExtension } from "../extension.ts";
import type { TuiHandle } from "../handle.ts";
import type { RunShell } from "../input/inline-shell.ts";
import type { TuiSettings } from "../settings.ts";
import type { VoiceState } from "../state/state.ts";
import type { TuiTerminal } from "../terminal/terminal.ts";
import type { BannerFacts } from "../view/banner.ts";

export interface RunTuiOptions {
  /** May still be opening: the first frame does not wait for it. Whoever opened it closes it. */
  readonly session: OpenSession | Promise<OpenSession>;
  readonly terminal: TuiTerminal;
  readonly banner: BannerFacts;
  readonly settings?: Partial<TuiSettings>;
  readonly extensions?: readonly TuiExtension[];
  /** For `/resume` and its like; sessions opened here are closed here. */
  readonly openSession?: (id: SessionId) => Promise<OpenSession>;
  /** Asks for a model and its credential; `provider:model`, or undefined when nothing was chosen. */
  readonly connect?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** `.hermes_history`; without it the history lives as long as the process. */
  readonly historyFile?: string;
  /** Where folded pastes are kept. */
  readonly pastesFolder?: string;
  /** The YAML text of a user's skin, or undefined when there is none of that name. */
  readonly readUserSkin?: (name: string) => Promise<string | undefined>;
  /** Called before the first frame, with what may be told to the terminal later. */
  readonly onOpen?: (handle: TuiHandle) => void;
  /** A turn is over and shown. */
  readonly onTurnEnd?: () => void;
  /** Runs `!command` and `{!command}`; without it there are no such commands. */
  readonly runShell?: RunShell;
  /** The image on the clipboard as a file, or undefined when there is none. */
  readonly readClipboardImage?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly voice?: VoiceControl;
  /** Opens an editor for the draft; by default `$VISUAL` or `$EDITOR`. */
  readonly editText?: (text: string, signal: AbortSignal) => Promise<string | undefined>;
  /** True for text that must not be written to the history. */
  readonly isSecret?: (text: string) => boolean;
  /** A hint was shown for the first time. */
  readonly onHintSeen?: (hint: string) => void;
  /** The branch the folder is on, shown in the status bar. */
  readonly branch?: string;
  /** Attached to the draft from the beginning. */
  readonly draftImages?: readonly string[];
  /** Sent as if it had been typed. */
  readonly firstMessage?: { readonly text: string; readonly images?: readonly string[] };
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Ends the UI from outside, with exit code 130. */
  readonly signal?: AbortSignal;
}

/** Whoever owns the microphone. */
export interface VoiceControl {
  subscribe(listener: (voice: VoiceState | undefined) => void): Disposable;
  toggle(): void;
  cancel(): void;
}
