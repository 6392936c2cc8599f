import { expect, it } from "vitest";
import { says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

/** Whether the image itself, or words for it, reached the model, with `display.image_mode` as given. */
async function sentWith(mode: string, model: string): Promise<{ hasImage: boolean; hasWords: boolean }> {
  await using main = await startModelServer({ models: [{ id: model }] });
  await using eyes = await startModelServer();
  main.otherwise(says("I see."));
  eyes.otherwise(says("One grey pixel."));
  const more = [
    "auxiliary:\n  title_generation:\n    provider: deepseek\n",
    `  vision:\n    base_url: ${eyes.chatBaseUrl}\n    model: fake-model\n`,
    `display:\n  image_mode: ${mode}\n`,
  ].join("");
  await using stage = await hermesStage(customModel(main.chatBaseUrl, more).replace("fake-model", model));
  const submission = await stage.session.submit({ text: "What is it?", images: [pixel] });
  if (submission.kind === "turn") await submission.ended;
  const sent = JSON.stringify((await main.received(1)).messages);
  // Whoever was asked for words has seen the image, known to see or not.
  expect(eyes.requests.filter(({ rawBody }) => !rawBody.includes(pixel))).toEqual([]);
  return { hasImage: sent.includes("image_url"), hasWords: sent.includes("One grey pixel.") };
}

it.each([
  ["auto", "gpt-4o", { hasImage: true, hasWords: false }],
  ["describe", "gpt-4o", { hasImage: false, hasWords: true }],
  ["auto", "deepseek-chat", { hasImage: false, hasWords: true }],
  ["native", "deepseek-chat", { hasImage: true, hasWords: false }],
])("images go to the model as display.image_mode %s says (%s) [20:R10.24]", async (mode, model, expected) => {
  expect(await sentWith(mode, model)).toEqual(expected);
});
