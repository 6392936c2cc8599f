import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { offsetsOf, type Row, rowAt, visibleRange } from "./visible-range.tsx";

export interface VirtualListProps<T extends Row> {
  readonly rows: readonly T[];
  readonly label: string;
  readonly above?: ComponentChildren;
  readonly below?: ComponentChildren;
  draw(row: T): VNode;
  /** The person has come near the first row. */
  onNearStart(): void;
}

/** What the person looks at: the end, whatever comes, or a row and how far they are into it. */
type Anchor = "end" | { readonly id: string; readonly into: number };

interface Column {
  anchor: Anchor;
  top: number;
  readonly heights: Map<string, number>;
}

const nearPixels = 40;
const nearStartPixels = 3000;

/**
 * A column of rows of any height, of which only those in sight are in the page.
 *
 * 1. At the end it stays at the end; elsewhere the row at the top edge stays where it is, whatever is added or measured around it.
 * 2. Rows are measured when they are drawn and when they change; until then they count as the mean of the others.
 */
export function VirtualList<T extends Row>(props: VirtualListProps<T>): VNode {
  const { rows, label, above, below, draw, onNearStart } = props;
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const column = useRef<Column>({ anchor: "end", top: 0, heights: new Map() }).current;
  const [, again] = useReducer<number, void>((round) => round + 1, 0);
  const offsets = offsetsOf(rows, column.heights);
  const total = offsets.at(-1) ?? 0;
  const height = box.current?.clientHeight ?? window.innerHeight;
  const top = column.anchor === "end" ? Math.max(0, total - height) : column.top;
  const { first, end } = visibleRange(offsets, top, height);

  useLayoutEffect(() => {
    if (measure(inner.current, column.heights)) again();
    hold(box.current, inner.current, { column, rows, offsets });
  });
  useEffect(() => {
    const target = inner.current;
    if (target === null) return;
    const observer = new ResizeObserver(() => measure(target, column.heights) && again());
    observer.observe(target);
    return () => observer.disconnect();
  }, []);

  const follow = (): void => {
    const { current } = box;
    if (current === null) return;
    note(current, inner.current, { column, rows, offsets });
    if (current.scrollTop < nearStartPixels && column.anchor !== "end") onNearStart();
    const seen = visibleRange(offsets, column.top, current.clientHeight);
    if (seen.first !== first || seen.end !== end) again();
  };
  const padding = { paddingTop: `${offsets[first] ?? 0}px`, paddingBottom: `${total - (offsets[end] ?? total)}px` };
  return (
    <div class="scroller" ref={box} onScroll={follow} tabIndex={0} role="log" aria-label={label} aria-live="off">
      {above}
      <div ref={inner} style={padding}>
        {rows.slice(first, end).map((row) => (
          <div class="row" key={row.id} data-row={row.id}>
            {draw(row)}
          </div>
        ))}
      </div>
      {below}
    </div>
  );
}

/** Notes how high the rows are that are drawn; true where one is not what it was thought to be. */
function measure(inner: HTMLElement | null, heights: Map<string, number>): boolean {
  let isChanged = false;
  for (const row of inner?.children ?? []) {
    const id = row.getAttribute("data-row") ?? "";
    const { height } = row.getBoundingClientRect();
    if (Math.abs((heights.get(id) ?? -1) - height) < 0.5) continue;
    heights.set(id, height);
    isChanged = true;
  }
  return isChanged;
}

interface Standing {
  readonly column: Column;
  readonly rows: readonly Row[];
  readonly offsets: readonly number[];
}

/** Brings what the person looks at back to where it was. */
function hold(box: HTMLElement | null, inner: HTMLElement | null, { column, rows, offsets }: Standing): void {
  const { anchor } = column;
  if (box === null || inner === null) return;
  if (anchor === "end") {
    box.scrollTop = box.scrollHeight;
    return;
  }
  const index = rows.findIndex(({ id }) => id === anchor.id);
  if (index < 0) return;
  column.top = (offsets[index] ?? 0) + anchor.into;
  const wanted = column.top + inner.offsetTop - box.offsetTop;
  if (Math.abs(box.scrollTop - wanted) >= 1) box.scrollTop = wanted;
}

/** Notes what the person looks at now. */
function note(box: HTMLElement, inner: HTMLElement | null, { column, rows, offsets }: Standing): void {
  column.top = box.scrollTop - ((inner?.offsetTop ?? 0) - box.offsetTop);
  const index = rowAt(offsets, column.top);
  const row = rows[index];
  const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < nearPixels;
  column.anchor = isAtEnd || row === undefined ? "end" : { id: row.id, into: column.top - (offsets[index] ?? 0) };
}
