/** Which review is due. */
export type ReviewKind = "memory" | "skills" | "both";

const opening =
  "Pause the conversation above; nobody is waiting for an answer. Look back over it and decide what is worth keeping for later sessions.";

const memoryPart =
  "Notes: did the user show who they are (role, persona, circumstances), what they prefer, or how they expect you to behave and work? " +
  "Save each such point with the memory tool, merged into an existing entry where one covers it.";

const skillPart =
  "Skills: list the existing skills first. Think in classes of tasks, not in this one instance: was there a way of working, found by trial, " +
  "error or correction, that would help with the whole class? If a skill covers the class, look at it and update it. Create one only if none does. " +
  "Mention skills that overlap.";

const closing = "If there is nothing to save, say just that and stop.";

/** The one message that follows the history in a review. */
export function reviewInstruction(kind: ReviewKind): string {
  const parts = kind === "memory" ? [memoryPart] : kind === "skills" ? [skillPart] : [memoryPart, skillPart];
  return [opening, ...parts, closing].join("\n\n");
}

/** The one message that follows the history when it is about to be lost. */
export const flushInstruction =
  "This conversation is about to be cut off and you will not see it again. Store with the memory tool what should outlive it: preferences and " +
  "corrections of the user first, then lasting facts about the environment and its conventions. Leave out progress of tasks and whatever " +
  "is noted already. If nothing qualifies, make no call.";
