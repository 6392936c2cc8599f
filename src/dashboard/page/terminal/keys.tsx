/** A key as the browser tells of it. */
export interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

const arrows: Readonly<Record<string, string>> = {
  ArrowUp: "A",
  ArrowDown: "B",
  ArrowRight: "C",
  ArrowLeft: "D",
  Home: "H",
  End: "F",
};
const numbered: Readonly<Record<string, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};
const lettered: Readonly<Record<string, string>> = { F1: "P", F2: "Q", F3: "R", F4: "S" };
const plain: Readonly<Record<string, string>> = { Enter: "\r", Escape: "\u001b", Backspace: "\u007f", Tab: "\t" };

/** What a terminal of the kind xterm sends for a key; undefined for keys that belong to the browser. */
export function sequenceOf(pressed: Key, isApplication: boolean): string | undefined {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = pressed;
  if (metaKey) return undefined;
  // Copying and pasting stay what they are everywhere else in the browser.
  if (ctrlKey && shiftKey && /^[cv]$/i.test(key)) return undefined;
  const held = 1 + (shiftKey ? 1 : 0) + (altKey ? 2 : 0) + (ctrlKey ? 4 : 0);
  const arrow = arrows[key];
  if (arrow !== undefined) return held > 1 ? `\u001b[1;${held}${arrow}` : `\u001b${isApplication ? "O" : "["}${arrow}`;
  const letter = lettered[key];
  if (letter !== undefined) return held > 1 ? `\u001b[1;${held}${letter}` : `\u001bO${letter}`;
  const number = numbered[key];
  if (number !== undefined) return held > 1 ? `\u001b[${number};${held}~` : `\u001b[${number}~`;
  if (key === "Tab" && shiftKey) return "\u001b[Z";
  const before = altKey ? "\u001b" : "";
  const simple = plain[key];
  if (simple !== undefined) return before + (key === "Enter" && shiftKey ? "\n" : simple);
  if ([...key].length !== 1) return undefined;
  return before + (ctrlKey ? controlOf(key) : key);
}

function controlOf(key: string): string {
  if (key === " ") return "\u0000";
  const code = key.toUpperCase().charCodeAt(0);
  return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : key;
}
