/** A page outline as the model reads it. */
export interface Outline {
  readonly text: string;
  /** How many of the shown elements can be acted on. */
  readonly elementCount: number;
}

const interactive = new Set([
  "button",
  "link",
  "textbox",
  "searchbox",
  "checkbox",
  "radio",
  "combobox",
  "listbox",
  "option",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "treeitem",
  "gridcell",
]);
const structural = new Set(["heading", "dialog", "alertdialog", "alert", "status", "iframe", "img"]);
const line = /^(\s*)- (?:'|")?([a-z]+)\b/;

/**
 * The accessibility tree in fewer words. `isFull` keeps all text; otherwise only what can be acted on
 * and what tells where one is. Refs become `[@e5]`, and only elements that can be acted on keep them.
 */
export function toOutline(tree: string, isFull: boolean): Outline {
  const shown: string[] = [];
  let elementCount = 0;
  const depths: number[] = [];
  for (const raw of tree.split("\n")) {
    const [, indent = "", role = ""] = line.exec(raw) ?? [];
    const isClickable = raw.includes("[cursor=pointer]") && /\[ref=\w+\]/.test(raw);
    const isInteractive = interactive.has(role) || (isClickable && role !== "generic") || (isClickable && hasName(raw));
    const isAddress = /^\s*- \/url:/.test(raw);
    const isKept = isFull ? !isEmptyWrapper(raw, role) : isInteractive || structural.has(role);
    if (raw.trim() === "" || (isAddress && !isFull) || !isKept) continue;
    while (depths.length > 0 && (depths.at(-1) ?? 0) >= indent.length) depths.pop();
    const text = raw
      .trim()
      .replace(" [cursor=pointer]", "")
      .replace(" [active]", "")
      .replace(/\[ref=(\w+)\]/, isInteractive || role === "iframe" ? "[@$1]" : "")
      .replace(/\s+:/, ":")
      .replace(/:\s*$/, "")
      .replace(/\s{2,}/g, " ")
      .trimEnd();
    if (isInteractive) elementCount += 1;
    shown.push(`${"  ".repeat(depths.length)}${text}`);
    depths.push(indent.length);
  }
  return { text: shown.join("\n"), elementCount };
}

function hasName(raw: string): boolean {
  return /^\s*- [a-z]+ "/.test(raw) || /\]: \S/.test(raw);
}

function isEmptyWrapper(raw: string, role: string): boolean {
  return role === "generic" && !hasName(raw);
}

/** Cut where a line ends, with a note of how much is missing. */
export function cutOutline(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf("\n", maxChars);
  const head = text.slice(0, end > 0 ? end : maxChars);
  const missing = text.slice(head.length).split("\n").length - 1;
  return `${head}\n[Cut here: ${Math.max(missing, 1)} more lines. Scroll, or look at the page with browser_vision.]`;
}
