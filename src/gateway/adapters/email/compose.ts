import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { MailComposerOptions } from "nodemailer/lib/mail-composer";
import type { Outbound } from "../../platform/outbound.ts";
import type { ThreadHead } from "./inbound.ts";

export interface Letter {
  readonly own: string;
  readonly to: string;
  /** The same whenever it is sent again. */
  readonly key: string;
  readonly message: Exclude<Outbound, { readonly kind: "edit" }>;
  readonly head?: ThreadHead | undefined;
}

const mostReferences = 20;

/** The same for every attempt to send what is owed under this key. */
export function messageIdFor(key: string, own: string): string {
  const name = createHash("sha256").update(key).digest("hex").slice(0, 32);
  return `<hermes-${name}@${own.slice(own.lastIndexOf("@") + 1)}>`;
}

export type Composed = MailComposerOptions & { readonly to: { readonly name: string; readonly address: string } };

export function compose({ own, to, key, message, head }: Letter): Composed {
  const body = message.kind === "text" ? message.body : message.caption;
  const plain = body?.plain ?? "";
  const references = head === undefined ? [] : [...head.references, head.messageId];
  return {
    from: { name: "Hermes", address: own },
    to: { name: "", address: to },
    subject: subjectOf(head, plain, message),
    messageId: messageIdFor(key, own),
    ...(head === undefined ? {} : { inReplyTo: head.messageId, references: shortened(references).join(" ") }),
    // What answers by itself says so: nobody's program answers it.
    headers: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
    text: plain,
    ...(body !== undefined && body.text !== body.plain ? { html: body.text } : {}),
    ...(message.kind === "media"
      ? { attachments: [{ filename: message.name, content: createReadStream(message.file) }] }
      : {}),
  };
}

/** The first one names the thread; of the rest the newest are kept. */
function shortened(references: readonly string[]): readonly string[] {
  if (references.length <= mostReferences) return references;
  return [...references.slice(0, 1), ...references.slice(1 - mostReferences)];
}

function subjectOf(head: ThreadHead | undefined, plain: string, message: Letter["message"]): string {
  if (head !== undefined) return /^re\s*:/iu.test(head.subject) ? head.subject : `Re: ${head.subject}`.trim();
  const [first = ""] = plain.trim().split("\n");
  const words = first === "" && message.kind === "media" ? message.name : first;
  return words === "" ? "Hermes" : [...words].slice(0, 78).join("");
}
