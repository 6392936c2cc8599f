import type { Frame, Page } from "playwright-core";

const mostFrames = 30;
const deepestForeign = 2;

/** The frames of a page, parents first; frames of other sites only two levels deep. */
export function frameTree(page: Page): readonly Readonly<Record<string, unknown>>[] {
  const entries: Record<string, unknown>[] = [];
  const top = originOf(page.mainFrame().url());
  const visit = (frame: Frame, parent: string | null, foreignDepth: number): void => {
    if (entries.length >= mostFrames || foreignDepth > deepestForeign) return;
    const id = `frame${entries.length}`;
    const isForeign = originOf(frame.url()) !== top;
    entries.push({
      id,
      parent_id: parent,
      url: frame.url().slice(0, 300),
      name: frame.name(),
      cross_origin: isForeign,
    });
    for (const child of frame.childFrames()) visit(child, id, foreignDepth + (originOf(child.url()) === top ? 0 : 1));
  };
  visit(page.mainFrame(), null, 0);
  return entries;
}

/** The frame that {@link frameTree} lists under this id. */
export function frameById(page: Page, id: string): Frame | undefined {
  const index = Number(/^frame(\d+)$/.exec(id)?.[1] ?? Number.NaN);
  return orderedFrames(page.mainFrame())[index];
}

function orderedFrames(frame: Frame): readonly Frame[] {
  return [frame, ...frame.childFrames().flatMap(orderedFrames)];
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return "";
  }
}
