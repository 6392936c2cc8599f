import type { Locator, Page } from "playwright-core";
import type { Annotation } from "../driver.ts";
import { drawMarks, removeMarks } from "./page-scripts.ts";

const mostMarks = 100;
const marked =
  /^\s*- (button|link|textbox|searchbox|checkbox|radio|combobox|switch|tab|slider|menuitem)(?: "((?:[^"\\]|\\.)*)")?.*\[ref=(\w+)\]/;

/** A screenshot with a numbered frame around everything that can be acted on. */
export async function annotated(
  page: Page,
  options: {
    readonly tree: string;
    locate(ref: string): Locator;
    readonly timeout: number;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly png: Uint8Array; readonly annotations: readonly Annotation[] }> {
  const annotations: Annotation[] = [];
  const boxes: Record<string, number>[] = [];
  for (const line of options.tree.split("\n")) {
    const [, role, name = "", ref] = marked.exec(line) ?? [];
    if (role === undefined || ref === undefined || annotations.length >= mostMarks) continue;
    const box = await options.locate(ref).boundingBox({ timeout: 1_000 });
    if (box === null) continue;
    const label = annotations.length + 1;
    annotations.push({ label, ref: `@${ref}`, role, name });
    boxes.push({ label, x: box.x, y: box.y, width: box.width, height: box.height });
  }
  await page.evaluate(drawMarks(boxes));
  try {
    return {
      png: await page.screenshot({ fullPage: true, timeout: options.timeout, signal: options.signal }),
      annotations,
    };
  } finally {
    await page.evaluate(removeMarks);
  }
}
