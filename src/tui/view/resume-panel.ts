import { type Message, typedText } from "#conversation";
import { plural } from "#foundation/text/figures";
import { truncateEnd } from "#foundation/text/text";
import { boxBottom, boxTop } from "../text/box.ts";
import { markdownRows } from "../text/markdown.ts";
import type { Line } from "../text/styled.ts";
import { wrapLine } from "../text/wrap.ts";
import type { Look } from "./item-rows.ts";

const shownExchanges = 10;
const userChars = 300;
const assistantChars = 200;
const maxLines = 3;

/** What was said before, when a session is taken up again. */
export function resumeRows(
  item: { readonly history: readonly Message[]; readonly isMinimal: boolean },
  look: Look,
): Line[] {
  const { columns } = look;
  const spoken = item.history.filter((message) => message.role !== "tool");
  if (item.isMinimal) {
    const count = spoken.filter((message) => message.role === "user").length;
    return [
      [{ text: `↻ Resumed: ${plural(spoken.length, "message")}, ${count} of them yours.`, style: "session-label" }],
    ];
  }
  const start = firstShown(spoken);
  const earlier: Line[] = start > 0 ? [[{ text: `… ${start} earlier messages …`, style: "dim" }]] : [];
  const lastIndex = spoken.findLastIndex((message) => message.role === "assistant" && message.content !== "");
  const rows = spoken.slice(start).flatMap((message, index) => messageRows(message, start + index === lastIndex, look));
  return [
    boxTop("Previous Conversation", columns, "session-border"),
    ...earlier,
    ...rows,
    boxBottom(columns, "session-border"),
  ];
}

function firstShown(spoken: readonly Message[]): number {
  let exchanges = 0;
  for (let index = spoken.length - 1; index >= 0; index -= 1) {
    if (spoken[index]?.role !== "user") continue;
    exchanges += 1;
    if (exchanges === shownExchanges) return index;
  }
  return 0;
}

function messageRows(message: Message, isLast: boolean, look: Look): Line[] {
  const { columns } = look;
  if (message.role === "user") return entry("● ", shorten(typedText(message.content), userChars), columns);
  if (message.role === "tool") return [];
  const names = (message.tool_calls ?? []).map((call) => call.function.name);
  const calls =
    names.length === 0 ? [] : [`[${names.length} tool call${names.length === 1 ? "" : "s"}: ${names.join(", ")}]`];
  if (isLast) {
    const { settings, lexer, highlight } = look;
    const [first = [], ...rest] = markdownRows(message.content, columns - 2, {
      mode: settings.markdown,
      lexer,
      highlight,
    });
    return [
      [{ text: "◆ ", style: "session-label" }, ...first],
      ...rest.map((row): Line => [{ text: "  " }, ...row]),
      ...calls.map((text): Line => [{ text: `  ${text}`, style: "dim" }]),
    ];
  }
  const text = [shorten(message.content, assistantChars), ...calls].filter((part) => part !== "").join(" ");
  return text === "" ? [] : entry("◆ ", text, columns);
}

function entry(sign: string, text: string, columns: number): Line[] {
  return wrapLine(
    [
      { text: sign, style: "session-label" },
      { text, style: "dim" },
    ],
    columns,
    { hang: [{ text: "  " }] },
  ).slice(0, maxLines);
}

function shorten(text: string, chars: number): string {
  return truncateEnd(text.replace(/\s+/g, " ").trim(), chars);
}
