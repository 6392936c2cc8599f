const tips = [
  "!git status runs a command of yours; {!git status} puts what it prints into your message.",
  "@file:notes.txt attaches a file, @diff what git says has changed.",
  "Ctrl-G opens your message in your editor.",
  "While Hermes is working, /queue <text> waits until the turn ends and /steer <text> guides it.",
  "/rollback goes back to the files as they were before a change.",
  "/background <text> works on something beside this conversation.",
  "Ctrl-V attaches the image on the clipboard.",
  "hermes -c goes on with the newest conversation, /resume with any other.",
  "/usage shows what this conversation has used.",
  "hermes -w works in a git worktree of its own.",
  "/skin shows the skins; every one can be changed in a file of yours.",
  "hermes doctor says what is wrong with the set-up, and what to do.",
] as const;

const dayMs = 86_400_000;

/** One a day, so that nobody reads the same line all the time. */
export function tipOfTheDay(nowMs: number): string {
  return tips[Math.floor(nowMs / dayMs) % tips.length] ?? tips[0];
}
