/** Scripts that run inside a page. They are text, since they belong to another world than this program. */

export const collectImages = `(() => [...document.images].slice(0, 500).map((image) => ({
  src: image.currentSrc || image.src, alt: image.alt || "",
  width: image.naturalWidth || image.width, height: image.naturalHeight || image.height,
})).filter((image) => image.src && !image.src.startsWith("data:")))()`;

export const scrollPage = (pixels: number): string => `window.scrollBy(0, ${pixels})`;

/** Draws numbered frames over the given boxes; returns nothing. */
export const drawMarks = (boxes: readonly Readonly<Record<string, number>>[]): string => `((boxes) => {
  const layer = document.createElement("div");
  layer.id = "hermes-marks";
  layer.style.cssText = "position:absolute;left:0;top:0;z-index:2147483647;pointer-events:none";
  for (const box of boxes) {
    const mark = document.createElement("div");
    mark.style.cssText = "position:absolute;border:2px solid #e00;left:" + (box.x + scrollX) + "px;top:" + (box.y + scrollY) +
      "px;width:" + box.width + "px;height:" + box.height + "px";
    const label = document.createElement("span");
    label.textContent = String(box.label);
    label.style.cssText = "position:absolute;left:0;top:0;background:#e00;color:#fff;font:bold 12px sans-serif;padding:0 3px";
    mark.append(label);
    layer.append(mark);
  }
  document.documentElement.append(layer);
})(${JSON.stringify(boxes)})`;

export const removeMarks = `document.getElementById("hermes-marks")?.remove()`;
