import type { OpenSession, Submission } from "../api.ts";
import type { WireInput } from "./inputs.ts";
import { replyShape } from "./replies.ts";

/** What became of an input at once; everything else arrives as events. */
export type WireReply = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Hands an input to its session. The same for every surface that speaks the wire form. */
export async function applyInput(session: OpenSession, input: WireInput, signal: AbortSignal): Promise<WireReply> {
  switch (input.type) {
    case "submit": {
      const { text, images, key } = input;
      const admission = key === undefined ? undefined : { key };
      return replyOf(await session.submit({ text, images, admission }));
    }
    case "continue":
      return replyOf(session.continueTurn() ?? { kind: "refused", message: "The last turn is finished." });
    case "steer":
      return session.steer(input.text) ? { kind: "steered" } : { kind: "refused", message: "No turn is running." };
    case "queue":
      session.queue(input.text);
      return done;
    case "unqueue": {
      const text = session.unqueue(input.index);
      return text === undefined
        ? { kind: "refused", message: "Nothing is waiting there." }
        : { kind: "unqueued", text };
    }
    case "interrupt":
      session.interrupt(input.text);
      return done;
    case "approve": {
      const { id, choice, reason } = input;
      session.approve(id, choice === "deny" && reason !== undefined ? { choice, reason } : choice);
      return done;
    }
    case "answer":
      session.answer(input.id, input.text ?? undefined);
      return done;
    case "complete":
      return { kind: "completions", completions: await session.complete(input.line, signal) };
  }
}

const done: WireReply = { kind: "done" };

export function replyOf(submission: Submission): WireReply {
  return replyShape.write(submission) as WireReply;
}
