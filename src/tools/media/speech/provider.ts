export type AudioFormat = "mp3" | "ogg" | "wav";

interface SpeechRequest {
  readonly text: string;
  /** What would be best; a provider may answer in another form. */
  readonly format: "mp3" | "ogg";
}

export type Speech =
  | { readonly kind: "audio"; readonly bytes: Uint8Array; readonly format: AudioFormat }
  | { readonly kind: "failed"; readonly reason: string };

/** Says text aloud. */
export interface SpeechProvider {
  readonly name: string;
  /** The longest text it takes, in characters. */
  readonly maxChars: number;
  speak(request: SpeechRequest, signal: AbortSignal): Promise<Speech>;
}

/** `tts.<provider>.*` as far as it is used here. */
export interface SpeechSettings {
  readonly model?: string;
  readonly voice?: string;
  readonly baseUrl?: string;
  readonly maxTextLength?: number;
  /** Times the usual speed; undefined is the usual one. */
  readonly speed?: number;
  /** Further fields of the request. */
  readonly options?: Readonly<Record<string, unknown>>;
}
