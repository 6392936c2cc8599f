/** A piece of an answer that will not change any more, whatever the model writes next. */
export type AnswerChunk =
  | { readonly kind: "markdown"; readonly text: string; readonly hasGap: boolean }
  | {
      readonly kind: "code";
      readonly language: string;
      readonly lines: readonly string[];
      readonly location: CodeLocation;
      readonly hasGap: boolean;
    };

/** Where in its fenced block a piece of code stands: a long block arrives in several. */
type CodeLocation = "whole" | "first" | "middle" | "last";

/** The part of a streamed answer that is still open. */
export interface MarkdownStream {
  /** The row being written. */
  readonly row: string;
  /** Finished rows of the open block. */
  readonly block: readonly string[];
  readonly fence: Fence | undefined;
  /** A fence inside a list item; blank rows in it do not end the item. */
  readonly isInnerFence: boolean;
  /** Empty rows since the last text. */
  readonly blankRows: number;
  readonly hasText: boolean;
}

interface Fence {
  readonly marker: string;
  readonly language: string;
  readonly hasStarted: boolean;
  readonly hasGap: boolean;
}

export const startStream: MarkdownStream = {
  row: "",
  block: [],
  fence: undefined,
  isInnerFence: false,
  blankRows: 0,
  hasText: false,
};

/** Code of a long block is shown for good in portions of this many rows. */
const codePortion = 20;

export interface StreamStep {
  readonly stream: MarkdownStream;
  readonly chunks: readonly AnswerChunk[];
}

export function feedMarkdown(stream: MarkdownStream, delta: string): StreamStep {
  const rows = (stream.row + delta).split("\n");
  const open = rows.pop() ?? "";
  let state = stream;
  const chunks: AnswerChunk[] = [];
  for (const row of rows) {
    const step = closeRow(state, row.replace(/\r$/, ""));
    chunks.push(...step.chunks);
    state = step.stream;
  }
  return { stream: { ...state, row: open }, chunks };
}

/** The answer is complete: whatever is open is closed as it stands. */
export function finishMarkdown(stream: MarkdownStream): StreamStep {
  const last = stream.row === "" ? { stream, chunks: [] } : closeRow({ ...stream, row: "" }, stream.row);
  const rest = last.stream.fence === undefined ? flush(last.stream) : endCode(last.stream);
  return { stream: startStream, chunks: [...last.chunks, ...rest.chunks] };
}

/** The open part as a chunk, to be drawn below what is finished. */
export function openChunk(stream: MarkdownStream): AnswerChunk | undefined {
  const rows = stream.row === "" ? stream.block : [...stream.block, stream.row];
  if (stream.fence !== undefined) {
    const location = stream.fence.hasStarted ? "middle" : "first";
    const { language, hasGap } = stream.fence;
    return { kind: "code", language, lines: rows, location, hasGap: hasGap && location === "first" };
  }
  if (rows.length === 0) return undefined;
  return { kind: "markdown", text: rows.join("\n"), hasGap: stream.hasText && stream.blankRows > 0 };
}

function closeRow(state: MarkdownStream, row: string): StreamStep {
  if (state.fence !== undefined) return closeCodeRow(state, state.fence, row);
  if (state.isInnerFence) {
    const ends = /^\s*(```|~~~)/.test(row);
    return keep({ ...state, isInnerFence: !ends }, row);
  }
  if (row.trim() === "") return closeBlankRow(state);
  const isInItem = isListItem(state.block[0] ?? "") && /^\s/.test(row);
  const fence = isInItem ? null : /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(row);
  if (fence !== null) {
    const step = flush(state);
    // Code stands apart from the text above it, also without an empty row in the source.
    const hasGap = step.stream.hasText;
    const opened = { marker: fence[1] ?? "```", language: (fence[2] ?? "").toLowerCase(), hasStarted: false, hasGap };
    return { stream: { ...step.stream, fence: opened }, chunks: step.chunks };
  }
  return closeTextRow(state, row);
}

function closeTextRow(state: MarkdownStream, row: string): StreamStep {
  const isListOpen = isListItem(state.block[0] ?? "");
  const hadGap = state.block.at(-1) === "";
  if (isListOpen) {
    if (/^\s+(```|~~~)/.test(row)) return keep({ ...state, isInnerFence: true }, row);
    if (/^(?: {2,}|\t)/.test(row)) return keep(state, row);
    if (isListItem(row) || hadGap) return then(flush(state), (after) => closeTextRow(after, row));
    return keep(state, row);
  }
  if (isListItem(row) && state.block.length > 0) return then(flush(state), (after) => keep(after, row));
  if (/^ {0,3}(#{1,6}\s|([-*_])(\s*\2){2,}\s*$)/.test(row) && !isSetext(state, row)) {
    return then(flush(state), (after) => then(keep(after, row), flush));
  }
  return keep(state, row);
}

/** `---` below a paragraph is its underline, not a rule. */
function isSetext(state: MarkdownStream, row: string): boolean {
  return state.block.length > 0 && /^ {0,3}-+\s*$/.test(row);
}

function isListItem(row: string): boolean {
  return /^ {0,1}([-*+]|\d{1,9}[.)])\s+\S/.test(row);
}

function closeBlankRow(state: MarkdownStream): StreamStep {
  // Behind a list item, only the next row tells whether the item goes on.
  if (isListItem(state.block[0] ?? "")) {
    if (state.block.at(-1) === "") return { stream: state, chunks: [] };
    return { stream: { ...state, block: [...state.block, ""] }, chunks: [] };
  }
  const step = flush(state);
  return { stream: { ...step.stream, blankRows: step.stream.blankRows + 1 }, chunks: step.chunks };
}

function closeCodeRow(state: MarkdownStream, fence: Fence, row: string): StreamStep {
  if (row.trim().startsWith(fence.marker) && row.trim().replaceAll(fence.marker[0] ?? "`", "") === "") {
    return endCode(state);
  }
  const block = [...state.block, row];
  if (block.length < codePortion) return { stream: { ...state, block }, chunks: [] };
  const location = fence.hasStarted ? "middle" : "first";
  return {
    stream: { ...state, block: [], hasText: true, fence: { ...fence, hasStarted: true } },
    chunks: [
      { kind: "code", language: fence.language, lines: block, location, hasGap: fence.hasGap && location === "first" },
    ],
  };
}

function endCode(state: MarkdownStream): StreamStep {
  const fence = state.fence;
  if (fence === undefined) return { stream: state, chunks: [] };
  const location = fence.hasStarted ? "last" : "whole";
  return {
    // What follows code stands apart from it, also without an empty row in the source.
    stream: { ...state, block: [], fence: undefined, hasText: true, blankRows: 1 },
    chunks: [
      {
        kind: "code",
        language: fence.language,
        lines: state.block,
        location,
        hasGap: fence.hasGap && location === "whole",
      },
    ],
  };
}

function flush(state: MarkdownStream): StreamStep {
  const text = state.block.join("\n").replace(/\n+$/, "");
  const hasTrailingGap = state.block.at(-1) === "";
  if (text.trim() === "") return { stream: { ...state, block: [] }, chunks: [] };
  return {
    stream: { ...state, block: [], isInnerFence: false, hasText: true, blankRows: hasTrailingGap ? 1 : 0 },
    chunks: [{ kind: "markdown", text, hasGap: state.hasText && state.blankRows > 0 }],
  };
}

function keep(state: MarkdownStream, row: string): StreamStep {
  return { stream: { ...state, block: [...state.block, row] }, chunks: [] };
}

function then(step: StreamStep, next: (stream: MarkdownStream) => StreamStep): StreamStep {
  const after = next(step.stream);
  return { stream: after.stream, chunks: [...step.chunks, ...after.chunks] };
}
