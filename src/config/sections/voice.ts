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
    idle.includes(key) ? { description, noEffect: "This service has nothing of the kind." } : description;
  return section("Settings of this service.", {
    voice: text(voice, "Voice."),
    model: text(model, about("model", "Model.")),
    base_url: optionalText("Address to use instead of the service's own."),
    speed: amount(1, about("speed", "Speed of speech; 1 is the usual one.")),
    max_text_length: optionalWhole("Most characters spoken at once.", { min: 1 }),
    options: freeMap(about("options", "Further fields of the request.")),
  });
};

/** A voice that only a plugin brings. */
const pluginVoice = section(
  {
    description: "Settings of this service.",
    noEffect: "A plugin brings this voice, and reads settings of its own (`plugins.settings`).",
  },
  {
    voice: text("", "Voice."),
    model: text("", "Model."),
    base_url: optionalText("Address to use instead of the service's own."),
    speed: amount(1, "Speed of speech; 1 is the usual one."),
    max_text_length: optionalWhole("Most characters spoken at once.", { min: 1 }),
    options: freeMap("Further fields of the request."),
  },
);

export const voiceSections = {
  voice: section(
    { description: "Speaking with Hermes in the terminal.", category: "Voice", reload: "now", noEffect: missing.voice },
    {
      record_key: text("ctrl+b", "Key that starts and ends a recording."),
      max_recording_seconds: whole(120, "Longest recording."),
      auto_tts: flag(false, "Speak every answer."),
      beep_enabled: flag(true, "Beep when a recording starts and ends."),
      silence_threshold: whole(200, "Loudness below which it counts as silence."),
      silence_duration: amount(3, "Seconds of silence that end a recording."),
    },
  ),
  tts: section(
    { description: "Text to speech.", category: "Voice" },
    {
      provider: choice(
        ["edge", "elevenlabs", "openai", "minimax", "mistral", "xai", "gemini", "neutts", "kittentts"],
        "edge",
        "Service.",
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
      enabled: flag(true, "Turn voice messages into text."),
      provider: choice(["local", "openai", "groq", "mistral", "xai"], "local", "Service."),
      local: section("The program on this machine.", {
        command: texts(
          [],
          "Program and its arguments; what it prints is what was said. `{file}`, `{model}` and `{language}` stand for their values.",
        ),
        model: text("base", "Model, as the program names it."),
        language: text("auto", "Language, as the program names it."),
      }),
      openai: section("OpenAI.", { model: text("whisper-1", "Model."), base_url: optionalText("Own address.") }),
      groq: section("Groq.", { model: text("whisper-large-v3-turbo", "Model.") }),
      mistral: section("Mistral.", { model: text("voxtral-mini-latest", "Model.") }),
      xai: section("xAI.", { model: text("", "Model.") }),
    },
  ),
};
