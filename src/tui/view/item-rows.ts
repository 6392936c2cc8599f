import { plural, stopwatch } from "#foundation/text/figures";
import type { TuiSettings } from "../settings.ts";
import type { AnswerChunk } from "../state/output/markdown-stream.ts";
import type { ToolLine } from "../state/output/tool-line.ts";
import type { AnswerStart, DrawnView, ToolFull, TranscriptItem } from "../state/transcript-item.ts";
import { boxBottom, boxTop, thinBottom, thinTop } from "../text/box.ts";
import { diffRows } from "../text/diff.ts";
import { codeRows, type Highlight, type Lexer, type MarkdownLook, markdownRows } from "../text/markdown.ts";
import { plainTable } from "../text/markdown-table.ts";
import { cutStart, cutText, type Line, toLine } from "../text/styled.ts";
import { displayWidth } from "../text/width.ts";
import { wrapLine, wrapText } from "../text/wrap.ts";
import type { Skin } from "../theme/skin.ts";
import { type BannerFacts, bannerRows } from "./banner.ts";
import { resumeRows } from "./resume-panel.ts";

/** Everything drawing needs besides the thing itself. */
export interface Look {
  readonly columns: number;
  readonly rows: number;
  readonly settings: TuiSettings;
  readonly skin: Skin;
  readonly lexer: Lexer | undefined;
  readonly highlight: Highlight;
  readonly banner: BannerFacts;
}

/** A finished item as rows of the scrollback. */
export function itemRows(item: TranscriptItem, look: Look): Line[] {
  const { columns, skin } = look;
  switch (item.kind) {
    case "banner":
      return bannerRows(item.info, look);
    case "user":
      return ["", ...userRows(item, look), ""].map((row) => toLine(row));
    case "answer-start":
      return answerStartRows(item, look);
    case "answer":
      return chunkRows(item.chunk, look);
    case "answer-end":
      return [];
    case "reasoning-start":
      return [thinTop("Reasoning", columns, "dim")];
    case "reasoning":
      return item.lines.flatMap((line) => wrapLine([{ text: line, style: "reasoning" }], columns));
    case "reasoning-end":
      return [thinBottom(item.hiddenLines > 0 ? plural(item.hiddenLines, "more line") : "", columns, "dim")];
    case "reasoning-note":
      return [
        [
          {
            text: `  ${skin.toolPrefix} 💭 thought for ${stopwatch(item.durationMs)}, ${plural(item.lineCount, "line")}`,
            style: "dim",
          },
        ],
      ];
    case "tool":
      return toolRows(item, look);
    case "tool-summary":
      return summaryRows(item.names, look);
    case "diff":
      return diffRows(item.diff, columns);
    case "notice":
      return noticeRows(item, columns);
    case "activity":
      return wrapLine([{ text: `  ${skin.toolPrefix} ${item.text}`, style: "dim" }], columns, {
        hang: [{ text: "    " }],
      });
    case "hint":
      return wrapLine([{ text: `💡 ${item.text}`, style: "label" }], columns, { hang: [{ text: "   " }] });
    case "view":
      return viewRows(item.view, look);
    case "panel":
      return [
        boxTop(item.title, columns, "session-border"),
        ...markdownRows(item.text, columns, markdownLook(look)),
        boxBottom(columns, "session-border"),
      ];
    case "resume":
      return resumeRows(item, look);
    case "lines":
      return item.lines.flatMap((line) => wrapLine(line, columns));
  }
}

export function answerStartRows({ form }: AnswerStart, { skin }: Look): Line[] {
  const name: Line = [{ text: skin.branding.responseLabel, style: "response-border" }];
  return form === "first" ? [name] : form === "next" ? [[]] : [[], name];
}

function markdownLook({ settings, lexer, highlight }: Look): MarkdownLook {
  return { mode: settings.markdown, lexer, highlight };
}

/** A piece of an answer; the live one is drawn by the same rules, so it does not jump when it is finished. */
export function chunkRows(chunk: AnswerChunk, look: Look): Line[] {
  if (chunk.kind === "markdown") {
    const rows = markdownRows(chunk.text, look.columns, markdownLook(look));
    return chunk.hasGap ? [[], ...rows] : rows;
  }
  const rows = codeRows(chunk, look.columns, markdownLook(look));
  const isStart = chunk.location === "whole" || chunk.location === "first";
  const isEnd = chunk.location === "whole" || chunk.location === "last";
  const isRaw = look.settings.markdown === "raw";
  const fence = (text: string): Line => [{ text, style: "code-border" }];
  const label = isRaw ? `\`\`\`${chunk.language}` : chunk.language === "" ? "" : `  ${chunk.language}`;
  const top = isStart && label !== "" ? [fence(label)] : [];
  return [...(chunk.hasGap ? [[]] : []), ...top, ...rows, ...(isEnd && isRaw ? [fence("```")] : [])];
}

function userRows(item: { readonly text: string; readonly images: number }, look: Look): Line[] {
  const { firstLines, lastLines } = look.settings.userPreview;
  const lines = item.text.split("\n");
  const hidden = lines.length - firstLines - lastLines;
  const shown =
    hidden > 0
      ? [...lines.slice(0, firstLines), `… +${plural(hidden, "more line")}`, ...lines.slice(-lastLines)]
      : lines;
  const rows = shown.flatMap((line, index) =>
    wrapLine(
      [
        { text: index === 0 ? "● " : "  ", style: "prompt" },
        { text: line, style: "user" },
      ],
      look.columns,
      {
        hang: [{ text: "  " }],
      },
    ),
  );
  if (item.images === 0) return rows;
  const badges = Array.from({ length: item.images }, (_, index) => `[📎 Image #${index + 1}]`).join(" ");
  return [...rows, [{ text: `  ${badges}`, style: "image" }]];
}

const verbColumns = 9;
/** What took less is not worth a figure. */
const shortestShownMs = 50;

function toolRows(item: { line: ToolLine; full?: ToolFull; from?: string }, look: Look): Line[] {
  const { line } = item;
  const { columns, settings, skin } = look;
  const owner = item.from === undefined ? "" : `[${cutText(item.from, 24)}] `;
  const lead = `  ${skin.toolPrefix} ${owner}${line.emoji} ${line.verb.padEnd(verbColumns)} `;
  const time = line.durationMs < shortestShownMs ? "" : `  ${stopwatch(line.durationMs)}`;
  const limit = settings.toolPreviewLength;
  const cut = line.cutFrom === "left" ? cutStart : cutText;
  const room = Math.max(12, columns - displayWidth(lead) - displayWidth(time) - displayWidth(line.mark));
  const detail =
    limit > 0 ? cut(line.detail, limit) : line.cutFrom === "left" ? cutStart(line.detail, room) : line.detail;
  const style = line.isError ? "tool-error" : "tool";
  const spans = [
    { text: lead, style: "tool" },
    { text: detail, style: "tool" },
    { text: time, style: "dim" },
    { text: line.mark, style },
  ];
  const rows = wrapLine(spans, columns, { hang: [{ text: " ".repeat(Math.min(17, columns - 1)) }] });
  return item.full === undefined ? rows : [...rows, ...fullRows(item.full, columns)];
}

function fullRows(full: ToolFull, columns: number): Line[] {
  const block = (text: string): Line[] =>
    text.trim() === "" ? [] : wrapText(text, columns - 6, "dim").map((row) => [{ text: "      " }, ...row]);
  const result = full.result.trimEnd();
  return [...block(full.args), ...block(`result:${result.includes("\n") ? "\n" : " "}${result}`)];
}

function summaryRows(names: readonly string[], { skin, columns }: Look): Line[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const list = [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
  const text = `  ${skin.toolPrefix} ⚡ ${names.length} tool call${names.length === 1 ? "" : "s"}: ${list}`;
  return [[{ text: cutText(text, columns), style: "tool" }]];
}

function noticeRows(
  item: { readonly level: "info" | "warn" | "error"; readonly text: string },
  columns: number,
): Line[] {
  const sign = { info: "·", warn: "⚠", error: "✗" }[item.level];
  const style = { info: "dim", warn: "warn", error: "error" }[item.level];
  return item.text
    .split("\n")
    .flatMap((text, index) =>
      wrapLine([{ text: `${index === 0 ? sign : " "} ${text}`, style }], columns, { hang: [{ text: "  " }] }),
    );
}

function viewRows(view: DrawnView, look: Look): Line[] {
  const { columns } = look;
  switch (view.kind) {
    case "text": {
      const style = view.level === "error" ? "error" : view.level === "warn" ? "warn" : undefined;
      return wrapText(view.text, columns, style);
    }
    case "markdown":
      return markdownRows(view.text, columns, { ...markdownLook(look), mode: "render" });
    case "table":
      return [
        ...wrapLine([{ text: view.title, style: "heading" }], columns),
        ...plainTable(view.columns, view.rows, columns),
      ];
  }
}
