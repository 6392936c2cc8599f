import {
  type About,
  amount,
  choice,
  flag,
  freeMap,
  missing,
  optionalText,
  optionalWhole,
  section,
  text,
  texts,
  whole,
} from "./setting.ts";

type SpeechKey = "model" | "speed" | "options";

/** Settings of one speech service; it has no use for the `idle` ones. */
const speechService = (voice: string, model: string, idle: readonly SpeechKey[] = []) => {
  const about = (key: SpeechKey, description: string): About =>
    idle.includes(key) ? { description, noEffect: "This service does not support it." } : description;
  return section("Settings of this service.", {
    voice: text(voice, "Voice."),
    model: text(model, about("model", "Model.")),
    base_url: optionalText("Base URL to use instead of the service's own."),
    speed: amount(1, about("speed", "Speaking speed. 1: normal.")),
    max_text_length: optionalWhole("Maximum characters per request.", { min: 1 }),
    options: freeMap(about("options", "Extra fields for the request.")),
  });
};

/** A voice that only a plugin brings. */
const pluginVoice = section(
  {
    description: "Settings of this service.",
    noEffect: "This voice comes from a plugin, which has its own settings (`plugins.settings`).",
  },
  {
    voice: text("", "Voice."),
    model: text("", "Model."),
    base_url: optionalText("Base URL to use instead of the service's own."),
    speed: amount(1, "Speaking speed. 1: normal."),
    max_text_length: optionalWhole("Maximum characters per request.", { min: 1 }),
    options: freeMap("Extra fields for the request."),
  },
);

export const voiceSections = {
  voice: section(
    { description: "Talking to Hermes in the terminal.", category: "Voice", reload: "now", noEffect: missing.voice },
    {
      record_key: text("ctrl+b", "Key that starts and stops recording."),
      max_recording_seconds: whole(120, "Maximum length of a recording in seconds."),
      auto_tts: flag(false, "Speak every answer."),
      beep_enabled: flag(true, "Beep when recording starts and stops."),
      silence_threshold: whole(200, "Level below which audio counts as silence."),
      silence_duration: amount(3, "Seconds of silence that end a recording."),
    },
  ),
  tts: section(
    { description: "Text to speech.", category: "Voice" },
    {
      provider: choice(
        ["edge", "elevenlabs", "openai", "minimax", "mistral", "xai", "gemini", "neutts", "kittentts"],
        "edge",
        "Speech service.",
      ),
      edge: speechService("en-US-AriaNeural", "", ["model", "options"]),
      elevenlabs: speechService("", "eleven_multilingual_v2"),
      openai: speechService("alloy", "gpt-4o-mini-tts"),
      minimax: speechService("", "speech-2.8-hd"),
      mistral: speechService("", "voxtral-mini-tts-2603", ["speed"]),
      xai: speechService("eve", "", ["model", "speed"]),
      gemini: speechService("Kore", "gemini-2.5-flash-preview-tts", ["speed"]),
      neutts: pluginVoice,
      kittentts: pluginVoice,
    },
  ),
  stt: section(
    { description: "Speech to text, for voice messages in chats.", category: "Voice" },
    {
      enabled: flag(true, "Transcribe voice messages."),
      provider: choice(["local", "openai", "groq", "mistral", "xai"], "local", "Transcription service."),
      local: section("A program on this machine.", {
        command: texts(
          [],
          "Program and arguments. It prints the transcript. `{file}`, `{model}` and `{language}` are replaced.",
        ),
        model: text("base", "Model, as the program names it."),
        language: text("auto", "Language, as the program names it."),
      }),
      openai: section("OpenAI.", {
        model: text("whisper-1", "Model."),
        base_url: optionalText("Base URL to use instead of OpenAI's."),
      }),
      groq: section("Groq.", { model: text("whisper-large-v3-turbo", "Model.") }),
      mistral: section("Mistral.", { model: text("voxtral-mini-latest", "Model.") }),
      xai: section("xAI.", { model: text("", "Model.") }),
    },
  ),
};
