import type { Message } from "#conversation";
import type { OpenSession, SessionInfo } from "#session";
import type { KeyEvent } from "./input/key-event.ts";
import type { TuiSettings } from "./settings.ts";
import type { StyledLine } from "./text/styled.ts";
import type { StyleMap } from "./theme/style.ts";

/**
 * What others may add to the terminal without touching its main loop. Every method is optional; several extensions
 * compose in their order. One that throws is switched off with a message.
 */
export interface TuiExtension {
  readonly name: string;
  /** 1. Widgets between the spacer and the status bar. */
  extraWidgets?(context: TuiContext): readonly Widget[];
  /** 2. After the built-in bindings exist, before the layout is built. */
  registerKeybindings?(registry: KeybindingRegistry, io: { readonly inputArea: InputArea }, context: TuiContext): void;
  /** 3. The order of everything: receives every slot, returns the children from top to bottom. */
  buildLayout?(
    slots: LayoutSlots,
    next: (slots: LayoutSlots) => readonly Widget[],
    context: TuiContext,
  ): readonly Widget[];
  /** 4. A slash command: true when it was handled, false to leave the UI, `next()` to pass it on. */
  processCommand?(line: string, next: () => Promise<boolean>, context: TuiContext): Promise<boolean>;
  /** 5. Style classes, merged over those of the skin. */
  styles?(base: StyleMap, context: TuiContext): StyleMap;
}

/** Something that takes rows of the screen. */
export interface Widget {
  readonly id: string;
  /** Absent: always. */
  visible?(): boolean;
  /** At most this many rows. */
  height?(width: number): number;
  render(width: number): readonly StyledLine[];
}

/** Every part of the layout, from top to bottom. */
export interface LayoutSlots {
  /** The end of the transcript that still changes. */
  readonly anchor: Widget;
  readonly sudo: Widget;
  readonly secret: Widget;
  readonly approval: Widget;
  readonly clarify: Widget;
  readonly modelPicker?: Widget;
  readonly spinner: Widget;
  readonly spacer: Widget;
  readonly extra: readonly Widget[];
  readonly statusBar: Widget;
  readonly inputRuleTop: Widget;
  readonly imageBar: Widget;
  readonly inputArea: Widget;
  readonly inputRuleBottom: Widget;
  readonly voiceStatus: Widget;
  readonly completions: Widget;
}

export interface KeybindingOptions {
  /** Only then does the key belong to this binding. */
  when?(): boolean;
  /** Before the built-in bindings, not after them. */
  readonly eager?: boolean;
  /** Needed to take a reserved key. */
  readonly override?: boolean;
}

export interface KeybindingRegistry {
  add(keys: string | readonly string[], run: (event: KeyEvent) => void, options?: KeybindingOptions): Disposable;
}

/** The input line, as extensions see it. */
export interface InputArea {
  text: string;
  cursor: number;
  insert(text: string): void;
  focus(): void;
  readonly history: readonly string[];
}

export interface TuiContext {
  /** Null until the session is open. */
  readonly agent: OpenSession | null;
  readonly model: string;
  readonly provider: string;
  readonly conversationHistory: readonly Message[];
  readonly session: SessionInfo | null;
  readonly config: Readonly<TuiSettings>;
  /** Writes a line into the transcript. */
  print(line: StyledLine): void;
  /** Asks for a new frame. */
  invalidate(): void;
  submit(text: string): void;
}
