import type { SessionEvent } from "#session";

/** Hands on the visible text of a turn as it is written; replies before tool calls are parted from the next by an empty line. */
export function textStreamer(write: (piece: string) => void): {
  take(event: SessionEvent): void;
  finish(whole: string): void;
} {
  let wrote = "";
  let isParted = false;
  return {
    take(event) {
      if (event.type === "text-end") isParted = wrote !== "";
      if (event.type !== "text-delta" || event.text === "") return;
      const piece = isParted ? `\n\n${event.text}` : event.text;
      isParted = false;
      wrote += piece;
      write(piece);
    },
    /** A provider that did not stream: the whole answer is one piece. */
    finish(whole) {
      if (wrote === "" && whole !== "") write(whole);
    },
  };
}
