import type { TerminalInput } from "../input/key-event.ts";
import { backgroundIn } from "./background.ts";

/** Turns what a terminal sends into keys and pastes. */
export interface InputDecoder extends Disposable {
  feed(data: string): void;
}

/** Many characters in one go, from a terminal without bracketed paste, are a paste. */
const burstChars = 200;
const burstBreaks = 4;
const escapeWaitMs = 15;

/**
 * Sequences are taken apart and keys named by pi-tui (legacy, xterm and Kitty keyboards). It is loaded here, when the
 * first frame is already on the screen.
 */
export async function createDecoder(emit: (input: TerminalInput) => void): Promise<InputDecoder> {
  const [{ StdinBuffer }, keys] = await Promise.all([
    import("@earendil-works/pi-tui/dist/stdin-buffer.js"),
    import("@earendil-works/pi-tui/dist/keys.js"),
  ]);
  const buffer = new StdinBuffer({ timeout: escapeWaitMs });
  let highHalf = "";
  buffer.on("data", (sequence: string) => {
    if (sequence === "" || keys.isKeyRelease(sequence)) return;
    // Characters beyond the basic plane arrive in halves.
    if (/^[\ud800-\udbff]$/.test(sequence)) {
      highHalf = sequence;
      return;
    }
    const whole = highHalf + sequence;
    highHalf = "";
    const background = backgroundIn(whole);
    const input = background === undefined ? keyOf(whole, keys) : ({ kind: "background", background } as const);
    if (input !== undefined) emit(input);
  });
  buffer.on("paste", (text: string) => emit({ kind: "paste", text }));
  const brackets = new PasteBrackets();
  return {
    feed(data) {
      if (!brackets.read(data) && isBurst(data)) emit({ kind: "paste", text: data });
      else buffer.process(data);
    },
    [Symbol.dispose]: () => buffer.destroy(),
  };
}

const opening = "\x1b[200~";
const closing = "\x1b[201~";

/** Knows which reads lie inside a bracketed paste: a large one takes many, and each of them looks like a burst. */
class PasteBrackets {
  #isInside = false;
  /** The end of the last read: a bracket may be split over two. */
  #rest = "";

  /** Whether any of it lies in brackets. */
  read(data: string): boolean {
    const wasInside = this.#isInside;
    const text = this.#rest + data;
    const opened = text.lastIndexOf(opening);
    const closed = text.lastIndexOf(closing);
    if (opened !== closed) this.#isInside = opened > closed;
    this.#rest = text.slice(1 - opening.length);
    return wasInside || opened >= 0;
  }
}

function isBurst(data: string): boolean {
  if (data.includes("\x1b")) return false;
  const breaks = data.match(/[\r\n]/g)?.length ?? 0;
  return breaks >= burstBreaks || (data.length >= burstChars && breaks > 0);
}

type Keys = Pick<typeof import("@earendil-works/pi-tui/dist/keys.js"), "parseKey" | "decodePrintableKey">;

function keyOf(sequence: string, keys: Keys): TerminalInput | undefined {
  // Without the Kitty protocol a line feed is Ctrl-J, and Enter sends a carriage return.
  if (sequence === "\n") return key("ctrl+j");
  const printable = keys.decodePrintableKey(sequence);
  if (printable !== undefined) return { kind: "key", event: { key: printable, text: printable } };
  const first = sequence.charCodeAt(0);
  const isText = first >= 0x20 && first !== 0x7f;
  const name = keys.parseKey(sequence);
  if (isText) return { kind: "key", event: { key: name === "space" ? "space" : sequence, text: sequence } };
  return name === undefined ? undefined : key(legacyNames[sequence] ?? name);
}

function key(name: string): TerminalInput {
  return { kind: "key", event: { key: name, text: undefined } };
}

/** Readline's words: Alt-B and Alt-F are letters to a person, whatever arrow they stand for. */
const legacyNames: Readonly<Record<string, string>> = { "\x1bb": "alt+b", "\x1bf": "alt+f", "\x08": "backspace" };
