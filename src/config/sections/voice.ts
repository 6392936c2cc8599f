import {
  amount,
  choice,
  flag,
  freeMap,
  missing,
  optionalText,
  optionalWhole,
  section,
  text,
  whole,
} from "./setting.ts";

/** Settings of one speech service; each service reads the ones it knows. */
const speechService = (voice: string, model: string) =>
  section("Settings of this service.", {
    voice: text(voice, "Voice."),
    model: text(model, "Model."),
    base_url: optionalText("Address to use instead of the service's own."),
    speed: amount(1, "Speed of speech."),
    max_text_length: optionalWhole("Most characters spoken at once.", { min: 1 }),
    options: freeMap("Further values passed to the service."),
  });

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
      edge: speechService("en-US-AriaNeural", ""),
      elevenlabs: speechService("", "eleven_multilingual_v2"),
      openai: speechService("alloy", "gpt-4o-mini-tts"),
      minimax: speechService("", "speech-2.8-hd"),
      mistral: speechService("", "voxtral-mini-tts-2603"),
      xai: speechService("eve", ""),
      gemini: speechService("Kore", "gemini-2.5-flash-preview-tts"),
      neutts: speechService("", ""),
      kittentts: speechService("", ""),
    },
  ),
  stt: section(
    { description: "Speech to text.", category: "Voice", noEffect: missing.voice },
    {
      enabled: flag(true, "Turn voice messages into text."),
      provider: choice(["local", "openai", "groq", "mistral", "xai"], "local", "Service."),
      local: section("The program on this machine.", {
        model: text("base", "Size of the model."),
        language: text("", "Language; empty recognises it."),
      }),
      openai: section("OpenAI.", { model: text("whisper-1", "Model."), base_url: optionalText("Own address.") }),
      groq: section("Groq.", { model: text("whisper-large-v3-turbo", "Model.") }),
      mistral: section("Mistral.", { model: text("voxtral-mini-latest", "Model.") }),
      xai: section("xAI.", { model: text("", "Model.") }),
    },
  ),
};
