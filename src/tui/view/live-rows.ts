import { openChunk } from "../state/output/markdown-stream.ts";
import { runningRows } from "../state/select.ts";
import type { ViewState } from "../state/state.ts";
import { cutText, type Line } from "../text/styled.ts";
import { wrapLine } from "../text/wrap.ts";
import { bannerRows } from "./banner.ts";
import { answerStartRows, chunkRows, type Look } from "./item-rows.ts";

/** The end of the transcript that still changes: the open block, running tools, waiting messages. */
export function liveRows(state: ViewState, look: Look, nowMs: number): Line[] {
  const rows: Line[] = [];
  if (state.phase === "starting") rows.push(...bannerRows(undefined, look));
  for (const early of state.early) rows.push([{ text: cutText(`● ${early.text}`, look.columns), style: "dim" }]);
  if (state.thoughts.isOpen && state.thoughts.row !== "") {
    rows.push(...wrapLine([{ text: state.thoughts.row, style: "reasoning" }], look.columns));
  }
  const open = state.answer.isOpen ? openChunk(state.answer.stream) : undefined;
  if (open !== undefined) {
    if (state.answer.start !== undefined) rows.push(...answerStartRows(state.answer.start, look));
    rows.push(...chunkRows(open, look));
  }
  rows.push(...runningRows(state, look.columns, nowMs), ...childRows(state, look));
  return [...rows, ...queueRows(state, look)];
}

function childRows(state: ViewState, look: Look): Line[] {
  if (state.settings.details.subagents === "hidden") return [];
  return state.children.map((child) => [
    {
      text: cutText(`  🔀 ${child.task}${child.tool === undefined ? "" : `: ${child.tool}`}`, look.columns),
      style: "dim",
    },
  ]);
}

const maxQueueRows = 4;

function queueRows(state: ViewState, look: Look): Line[] {
  const shown = state.queue
    .slice(0, maxQueueRows)
    .map(
      (text, index): Line => [
        { text: cutText(`  ⏳ ${index + 1}. ${text.replace(/\s+/g, " ")}`, look.columns), style: "label" },
      ],
    );
  const more = state.queue.length - maxQueueRows;
  const rest: Line[] = more > 0 ? [[{ text: `  … ${more} more`, style: "dim" }]] : [];
  const help: Line[] =
    shown.length > 0
      ? [[{ text: cutText("  Up edits the last one · Enter twice stops and sends", look.columns), style: "dim" }]]
      : [];
  return [...shown, ...rest, ...help];
}
