import type { RenderedText } from "../../platform/outbound.ts";
import type { Capabilities, CredentialField } from "../../platform/platform.ts";
import { plainStyle, renderMarkdown } from "../../text/markup.ts";
import { lengthIn, splitText } from "../../text/split.ts";

/** A platform that shows words and can do nothing else; what it can do besides is said over it. */
export function plainCapabilities(own: Pick<Capabilities, "maxLength" | "rate"> & Partial<Capabilities>): Capabilities {
  return {
    lengthUnit: "codepoints",
    canEdit: false,
    needsFinalEdit: false,
    canType: false,
    canReact: false,
    hasButtons: false,
    hasThreads: false,
    media: {},
    settlesSends: "none",
    tier: "low",
    ...own,
  };
}

/** Files of every kind that can be sent, up to so many bytes. */
export function filesUpTo(bytes: number): Capabilities["media"] {
  return { image: bytes, animation: bytes, video: bytes, audio: bytes, voice: bytes, document: bytes };
}

/** For platforms that read Markdown themselves; `plain` is for when they do not take it. */
export function markdownTexts(markdown: string, limit: number): readonly RenderedText[] {
  return splitText(markdown, { limit, measure: lengthIn("codepoints") }).map((text) => ({
    text,
    plain: renderMarkdown(text, plainStyle),
  }));
}

/** Asked last on every platform: who may use Hermes there. */
export function allowedUsersField(prefix: string, help: string): CredentialField {
  return {
    name: "allowed_users",
    variable: `${prefix}_ALLOWED_USERS`,
    question: "User ids that may use it (separated by commas)",
    help: `${help} Left empty, strangers get a pairing code that you approve.`,
    isSecret: false,
    isOptional: true,
  };
}
