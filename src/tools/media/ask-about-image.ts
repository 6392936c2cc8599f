import { describe } from "#foundation/errors";
import type { Auxiliary, AuxiliaryAnswer } from "../contract/auxiliary.ts";

export interface Image {
  readonly bytes: Uint8Array;
  readonly mime: string;
}

/** Makes an image smaller than `maxBytes` when it can; handed in, since it needs a program this one does not bring. */
export type ShrinkImage = (image: Image, maxBytes: number, signal: AbortSignal) => Promise<Image | undefined>;

export interface ImageQuestion {
  readonly auxiliary: Auxiliary;
  readonly image: Image;
  readonly prompt: string;
  readonly shrink?: ShrinkImage;
  readonly temperature?: number;
  readonly signal: AbortSignal;
}

const largestPayload = 20_000_000;
const wantedBytes = 5_000_000;
const maxTokens = 2_000;
const sizeComplaint = /too large|too big|exceeds?|maximum (?:size|allowed)|payload|413|image.{0,20}size/i;

/** One question about one image. Shrinks before, or once after the model complained; asks again once when the answer is empty. */
export async function askAboutImage(question: ImageQuestion): Promise<AuxiliaryAnswer> {
  let { image } = question;
  if (payloadBytes(image) > largestPayload) {
    const smaller = await question.shrink?.(image, wantedBytes, question.signal);
    if (smaller === undefined || payloadBytes(smaller) > largestPayload)
      return {
        kind: "unavailable",
        reason: `the image has ${Math.round(image.bytes.byteLength / 1e6)} MB, more than can be sent, and nothing here can make it smaller`,
      };
    image = smaller;
  }
  const first = await ask(question, image);
  if (first.kind === "text" && first.text.trim() !== "") return first;
  if (first.kind === "text") return answered(await ask(question, image));
  if (!sizeComplaint.test(first.reason)) return first;
  const smaller = await question.shrink?.(image, wantedBytes, question.signal);
  return smaller === undefined ? first : answered(await ask(question, smaller));
}

async function ask(question: ImageQuestion, image: Image): Promise<AuxiliaryAnswer> {
  const url = `data:${image.mime};base64,${Buffer.from(image.bytes).toString("base64")}`;
  try {
    return await question.auxiliary.ask(
      "vision",
      { prompt: question.prompt, images: [url], maxTokens, temperature: question.temperature ?? 0.1 },
      question.signal,
    );
  } catch (error) {
    if (question.signal.aborted) throw error;
    return { kind: "unavailable", reason: describe(error) };
  }
}

function answered(answer: AuxiliaryAnswer): AuxiliaryAnswer {
  if (answer.kind === "text" && answer.text.trim() === "")
    return { kind: "unavailable", reason: "the model gave an empty answer" };
  return answer;
}

function payloadBytes(image: Image): number {
  return Math.ceil(image.bytes.byteLength / 3) * 4;
}
