const tips = [
  "!git status runs a command; {!git status} inserts its output into your message.",
  "@file:notes.txt attaches a file, @diff your uncommitted changes.",
  "Ctrl-G opens your message in your editor.",
  "While Hermes is working, /queue <text> waits until the turn ends and /steer <text> guides it.",
  "/rollback goes back to the files as they were before a change.",
  "/background <text> works on something alongside this conversation.",
  "Ctrl-V attaches the image on the clipboard.",
  "hermes -c continues your last conversation, /resume any other.",
  "/usage shows tokens and cost of this conversation.",
  "hermes -w works in a new git worktree.",
  "/skin shows the skins; you can make your own in a file.",
  "hermes doctor finds problems with the setup and says what to do.",
] as const;

const dayMs = 86_400_000;

/** One a day, so that nobody reads the same line all the time. */
export function tipOfTheDay(nowMs: number): string {
  return tips[Math.floor(nowMs / dayMs) % tips.length] ?? tips[0];
}
