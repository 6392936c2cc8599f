import { profile } from "./provider.ts";

/** Stands for Code Assist in settings and targets; the wire puts the real address in its place. */
export const codeAssistMarker = "cloudcode-pa://google";

/** Where requests for the marker address really go. */
export const codeAssistUrl = "https://cloudcode-pa.googleapis.com/v1internal";

export const googleCodeAssist = profile({
  id: "google-gemini-cli",
  label: "Google Gemini (Code Assist login)",
  aliases: ["gemini-cli", "gemini-oauth"],
  authKind: "oauth_external",
  baseUrl: codeAssistMarker,
  allowedHosts: ["cloudcode-pa.googleapis.com"],
  protocol: "gemini_generate",
  curatedModels: ["gemini-3.1-pro-preview", "gemini-3-flash-preview"],
  isSubscription: true,
  modelNaming: "as-given",
  policyNotice:
    "Google's free Code Assist login is made for Google's own program; Google may treat other uses as a breach of its terms.",
});
