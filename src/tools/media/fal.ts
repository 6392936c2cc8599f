import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { GeneratedImage, ImageProvider } from "../contract/image-provider.ts";
import { callService, listAt, type ServiceAnswer, textField } from "../web/service-call.ts";
import { type AspectRatio, defaultFalModel, falModels } from "./fal-models.ts";

interface FalAccess {
  readonly origin: string;
  readonly token: Secret;
  /** `Key` with an own key, `Bearer` through the subscription. */
  readonly scheme: "Key" | "Bearer";
}

export interface FalOptions {
  readonly access: FalAccess;
  readonly model?: string;
  readonly clock: Clock;
}

const upscaler = "fal-ai/clarity-upscaler";
const pollEveryMs = 1_000;
const mostPolls = 300;

/** Images by a queue: a request is handed in, asked after, and fetched. */
export function fal(options: FalOptions): ImageProvider {
  const name = options.model ?? defaultFalModel;
  const model = Object.hasOwn(falModels, name) ? falModels[name] : undefined;
  return {
    name: "fal",
    async generate({ prompt, aspectRatio }, signal): Promise<GeneratedImage> {
      if (model === undefined) {
        const known = Object.keys(falModels).join(", ");
        return { kind: "failed", error: `image_gen.model "${name}" is not one of ${known}`, type: "provider_contract" };
      }
      const input = { prompt, ...model.sizes[aspectRatio as AspectRatio], ...model.extras };
      const first = firstImage(await queued(name, input, { options, signal }));
      if (first.kind !== "image" || model.isUpscaled !== true) return first;
      const larger = firstImage(
        await queued(upscaler, { image_url: first.url, upscale_factor: 2, prompt }, { options, signal }),
      );
      return larger.kind === "image" ? larger : first;
    },
  };
}

async function queued(
  model: string,
  input: Readonly<Record<string, unknown>>,
  how: { readonly options: FalOptions; readonly signal: AbortSignal },
): Promise<ServiceAnswer> {
  const { access, clock } = how.options;
  const headers = { authorization: `${access.scheme} ${access.token.reveal()}` };
  const origin = access.origin.replace(/\/$/, "");
  const call = { headers, signal: how.signal, timeoutMs: 60_000 };
  const accepted = await callService(`${origin}/${model}`, { ...call, json: input });
  if (accepted.kind === "failed") return accepted;
  const id = textField(accepted.value, "request_id");
  if (id === "") return { kind: "failed", reason: "the service did not accept the request" };
  // The key goes only where it was meant to go, whatever addresses the answer names.
  const app = model.split("/").slice(0, 2).join("/");
  const base = `${origin}/${app}/requests/${encodeURIComponent(id)}`;
  for (let poll = 0; poll < mostPolls; poll += 1) {
    const state = await callService(`${base}/status`, call);
    if (state.kind === "failed") return state;
    const status = textField(state.value, "status");
    if (status === "COMPLETED") return callService(base, call);
    if (status !== "IN_QUEUE" && status !== "IN_PROGRESS")
      return { kind: "failed", reason: `the request ended as ${status || "unknown"}` };
    await clock.sleep(pollEveryMs, how.signal);
  }
  return { kind: "failed", reason: "the image was not ready in time" };
}

function firstImage(answer: ServiceAnswer): GeneratedImage {
  if (answer.kind === "failed") return { kind: "failed", error: answer.reason, type: "provider_exception" };
  const single = isRecord(answer.value) ? textField(answer.value["image"], "url") : "";
  const url = textField(listAt(answer.value, "images")[0], "url") || single;
  if (url === "") return { kind: "failed", error: "the service returned no image", type: "provider_contract" };
  return { kind: "image", url };
}
