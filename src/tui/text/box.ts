import { cutText, type Line } from "./styled.ts";
import { displayWidth } from "./width.ts";

/** `╭─ label ───╮` over the whole width; boxes have no sides, so that text in them can be copied. */
export function boxTop(label: string, columns: number, style: string): Line {
  const text = cutText(label, Math.max(0, columns - 6));
  const rest = Math.max(0, columns - displayWidth(text) - 5);
  return [{ text: `╭─ ${text} ${"─".repeat(rest)}╮`, style }];
}

export function boxBottom(columns: number, style: string, note = ""): Line {
  const text = note === "" ? "" : cutText(`─ ${note} `, Math.max(0, columns - 2));
  return [{ text: `╰${text}${"─".repeat(Math.max(0, columns - 2 - displayWidth(text)))}╯`, style }];
}

export function thinTop(label: string, columns: number, style: string): Line {
  const rest = Math.max(0, columns - displayWidth(label) - 5);
  return [{ text: `┌─ ${label} ${"─".repeat(rest)}┐`, style }];
}

export function thinBottom(note: string, columns: number, style: string): Line {
  const text = note === "" ? "" : `─ ${note} `;
  return [{ text: `└${text}${"─".repeat(Math.max(0, columns - 2 - displayWidth(text)))}┘`, style }];
}

export function rule(columns: number, style: string): Line {
  return [{ text: "─".repeat(columns), style }];
}
