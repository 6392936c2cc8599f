import { keymap } from "../state/keymap.ts";
import { boxBottom, boxTop } from "../text/box.ts";
import { cutText, type Line } from "../text/styled.ts";

/** Beside the keys: what a line may begin with. */
const beginnings: readonly (readonly [string, string])[] = [
  ["/help", "commands"],
  ["!command", "run a command"],
  ["@file:", "attach a file"],
  ["{!command}", "insert its output"],
  ["Esc Esc", "go back to a message"],
];

/** Moves every editor knows need no place here. */
const known = new Set(["left", "right", "row up, history", "row down, history", "delete left", "delete right"]);

/** Frame, status line, input, and a row of what was there before. */
const rowsAround = 7;

/** Everything on one screen, in columns; in a low window what matters most, and how much more there is. */
export function keyRows({ columns, rows: windowRows }: { readonly columns: number; readonly rows: number }): Line[] {
  const entries = [
    ...beginnings,
    ...keymap.filter(({ about }) => !known.has(about)).map(({ keys, about }) => [shownKeys(keys), about] as const),
  ];
  const perRow = columns >= 114 ? 3 : columns >= 64 ? 2 : 1;
  const width = Math.floor((columns - 2) / perRow);
  const height = Math.ceil(entries.length / perRow);
  const rows = Array.from({ length: height }, (_, row): Line => {
    const cells = Array.from({ length: perRow }, (_cell, column) => entries[column * height + row]);
    return cells.flatMap((cell) => {
      const [key = "", about = ""] = cell ?? [];
      const text = cutText(about, Math.max(4, width - keyColumns - 1));
      return [
        { text: `  ${key.padEnd(keyColumns - 2)}`, style: "label" },
        { text: text.padEnd(Math.max(0, width - keyColumns)), style: "dim" },
      ];
    });
  });
  const shown = rows.slice(0, Math.max(1, windowRows - rowsAround));
  const hidden = entries.filter((_entry, index) => index % height >= shown.length).length;
  const more = hidden > 0 ? `${hidden} more in a larger window` : "";
  return [
    boxTop("Keys · any key closes", columns, "session-border"),
    ...shown,
    boxBottom(columns, "session-border", more),
  ];
}

const keyColumns = 15;

/** Two names where they fit. */
function shownKeys(keys: readonly string[]): string {
  const [first = "", second] = keys.map(shownKey);
  const both = second === undefined ? first : `${first}, ${second}`;
  return both.length <= keyColumns - 3 ? both : first;
}

function shownKey(key: string): string {
  return key
    .split("+")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("-")
    .replace("Escape", "Esc");
}
