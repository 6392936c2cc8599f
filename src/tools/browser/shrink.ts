import { describe } from "#foundation/errors";
import type { Image, ShrinkImage } from "../media/ask-about-image.ts";
import type { BrowserDriver } from "./driver.ts";
import { type OpenDeps, openLocal } from "./open.ts";

/** Makes images smaller with the browser of this machine; without one, or when it cannot read the image, undefined. */
export function createBrowserShrink(deps: OpenDeps): ShrinkImage {
  return async (image, maxBytes, signal) => {
    let driver: BrowserDriver | undefined;
    try {
      driver = await openLocal(deps, { taskId: "shrink", isStrict: false }, signal);
      return toImage(await driver.evaluate(shrinkScript(image, maxBytes), signal));
    } catch (error) {
      if (signal.aborted) throw error;
      deps.logger.debug("An image could not be made smaller", { error: describe(error) });
      return undefined;
    } finally {
      await driver?.[Symbol.asyncDispose]();
    }
  };
}

function toImage(answer: unknown): Image | undefined {
  const found = typeof answer === "string" ? /^data:image\/jpeg;base64,(.+)$/s.exec(answer)?.[1] : undefined;
  return found === undefined ? undefined : { bytes: Buffer.from(found, "base64"), mime: "image/jpeg" };
}

/** Tries the full size first, then halves it up to four times; at each size three qualities. */
function shrinkScript(image: Image, maxBytes: number): string {
  const source = `data:${image.mime};base64,${Buffer.from(image.bytes).toString("base64")}`;
  return `(async (source, maxBytes) => {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const canvas = document.createElement("canvas");
    for (let halvings = 0; halvings <= 4; halvings += 1) {
      const width = Math.round(picture.naturalWidth / 2 ** halvings);
      const height = Math.round(picture.naturalHeight / 2 ** halvings);
      if (halvings > 0 && Math.min(width, height) < 64) return "";
      canvas.width = width;
      canvas.height = height;
      const paper = canvas.getContext("2d");
      paper.fillStyle = "#fff";
      paper.fillRect(0, 0, width, height);
      paper.drawImage(picture, 0, 0, width, height);
      for (const quality of [0.85, 0.7, 0.5]) {
        const url = canvas.toDataURL("image/jpeg", quality);
        if (url.startsWith("data:image/jpeg") && (url.length - 23) * 3 / 4 <= maxBytes) return url;
      }
    }
    return "";
  })(${JSON.stringify(source)}, ${maxBytes})`;
}
