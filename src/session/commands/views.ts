import type { CommandView, Submission, SurfaceAction } from "../api.ts";

/** Small constructors, so that commands read as what they say. */
export function say(text: string): CommandView {
  return { kind: "text", text };
}

export function warn(text: string): CommandView {
  return { kind: "text", text, level: "warn" };
}

export function fault(text: string): CommandView {
  return { kind: "text", text, level: "error" };
}

export function act(action: SurfaceAction): CommandView {
  return { kind: "surface", action };
}

/** What became of words that a command handed to the session. */
export function submissionView(submission: Submission): CommandView {
  switch (submission.kind) {
    case "turn":
      return { kind: "turn", ended: submission.ended };
    case "queued":
      return say(`Queued (${submission.position} ahead).`);
    case "steered":
      return say("Sent; the model will read it with the next tool result.");
    case "command":
      return submission.view;
    case "duplicate":
      return say("This message was already received.");
    case "refused":
      return fault(submission.message);
  }
}
