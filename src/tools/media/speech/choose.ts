import { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { ManagedGateway } from "../../web/managed-gateway.ts";
import type { Environment } from "../../web/service-call.ts";
import { edgeSpeech } from "./edge.ts";
import type { SpeechProvider, SpeechSettings } from "./provider.ts";
import {
  elevenlabsSpeech,
  geminiSpeech,
  minimaxSpeech,
  mistralSpeech,
  openaiSpeech,
  type ServiceOptions,
  xaiSpeech,
} from "./services.ts";

export interface SpeechChoice {
  /** `tts.provider` */
  readonly provider?: string;
  readonly settings?: Readonly<Record<string, SpeechSettings>>;
  readonly env: Environment;
  readonly clock: Clock;
  readonly gateway?: ManagedGateway;
}

interface Service {
  readonly keys: readonly string[];
  open(options: ServiceOptions): SpeechProvider;
}

const services: Readonly<Record<string, Service>> = {
  openai: { keys: ["VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY"], open: openaiSpeech },
  elevenlabs: { keys: ["ELEVENLABS_API_KEY"], open: elevenlabsSpeech },
  xai: { keys: ["XAI_API_KEY"], open: xaiSpeech },
  minimax: { keys: ["MINIMAX_API_KEY"], open: minimaxSpeech },
  mistral: { keys: ["MISTRAL_API_KEY"], open: mistralSpeech },
  gemini: { keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], open: geminiSpeech },
};

export type SpeechReady =
  | { readonly kind: "ready"; readonly provider: SpeechProvider }
  | { readonly kind: "missing"; readonly reason: string };

/** The configured voice; the keyless one unless another is named. */
export async function chooseSpeech(choice: SpeechChoice, signal: AbortSignal): Promise<SpeechReady> {
  const name = choice.provider ?? "edge";
  const settings = choice.settings?.[name] ?? {};
  if (name === "edge") return { kind: "ready", provider: edgeSpeech({ ...settings, clock: choice.clock }) };
  const service = Object.hasOwn(services, name) ? services[name] : undefined;
  if (service === undefined) {
    const known = ["edge", ...Object.keys(services)].join(", ");
    return { kind: "missing", reason: `tts.provider "${name}" is not one of ${known}` };
  }
  const names = boundKeys(service.keys, settings.baseUrl);
  const key = names.map((one) => choice.env[one]).find((value) => value !== undefined && value !== "");
  if (name === "openai" && key === undefined) {
    const access = await choice.gateway?.("openai-audio", signal);
    if (access !== undefined)
      return {
        kind: "ready",
        provider: openaiSpeech({ ...settings, key: access.token, baseUrl: `${access.origin}/v1` }),
      };
  }
  if (key === undefined) return { kind: "missing", reason: `${name} needs ${names.join(" or ")}` };
  return { kind: "ready", provider: service.open({ ...settings, key: new Secret(key) }) };
}

/** The general key of OpenAI goes to OpenAI only; another address has the key for voices, which is named for nothing else. */
function boundKeys(keys: readonly string[], baseUrl: string | undefined): readonly string[] {
  if (baseUrl === undefined || /^https:\/\/api\.openai\.com(?:\/|$)/i.test(baseUrl)) return keys;
  return keys.filter((name) => name !== "OPENAI_API_KEY");
}
