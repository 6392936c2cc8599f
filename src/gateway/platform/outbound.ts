import type { MediaKind } from "./inbound.ts";

export interface Destination {
  readonly platform: string;
  readonly account: string;
  readonly chatId: string;
  readonly threadId?: string | undefined;
}

/** `data` comes back in a press; platforms give it 60 bytes or more. */
export interface Button {
  readonly label: string;
  readonly data: string;
  readonly style?: "normal" | "primary" | "danger" | undefined;
}

/** A text in the platform's own markup, and the same without any: sent when the markup is refused. */
export interface RenderedText {
  readonly text: string;
  readonly plain: string;
}

/** What can be owed to a chat. Stored as JSON in the outbox, in pieces the platform accepts. */
export type Outbound =
  | {
      readonly kind: "text";
      readonly body: RenderedText;
      readonly replyTo?: string | undefined;
      readonly buttons?: readonly (readonly Button[])[] | undefined;
    }
  | {
      readonly kind: "media";
      readonly media: MediaKind;
      readonly file: string;
      /** The machine it lies on, where several share the work; undefined: this one. */
      readonly machine?: string | undefined;
      readonly name: string;
      readonly caption?: RenderedText | undefined;
      readonly replyTo?: string | undefined;
    }
  | {
      readonly kind: "edit";
      readonly messageId: string;
      readonly body: RenderedText;
      readonly buttons?: readonly (readonly Button[])[] | undefined;
      /** The last change of this message; some platforms must be told. */
      readonly isFinal: boolean;
    };

export type SendErrorClass =
  /** It never left: may be tried again. */
  | "network"
  /** It left and nothing came back: nobody knows. */
  | "timeout"
  | "rate-limited"
  /** Markup or content the platform does not take; the plain text may be. */
  | "format"
  | "permission"
  /** The chat, thread or message is gone. */
  | "not-found"
  | "too-large"
  | "auth"
  | "unknown";

export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string | undefined }
  | {
      readonly kind: "failed";
      readonly errorClass: SendErrorClass;
      /** For the log and for people; without secrets. */
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    };

/** What the platform remembers of a send that was cut off. */
export type Reconciled =
  | { readonly kind: "sent"; readonly messageId: string | undefined }
  | { readonly kind: "not-sent" }
  | { readonly kind: "unknown" };
