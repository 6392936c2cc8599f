import { describe } from "#foundation/errors";
import { truncateEnd } from "#foundation/text/text";

/** What a skill's text is filled with before anybody reads it. */
export interface PreprocessOptions {
  readonly skillFolder: string;
  readonly sessionId?: string;
  /** `skills.template_vars`. */
  readonly hasTemplateVars: boolean;
  /** Runs the commands a skill embeds; absent when the user did not switch that on or the skill is not trusted. */
  readonly inlineShell?: InlineShell;
  readonly signal: AbortSignal;
}

/** Runs one command in a folder. Rejects only when cancelled. */
export type InlineShell = (
  command: string,
  options: { readonly cwd: string; readonly signal: AbortSignal },
) => Promise<{ readonly kind: "output"; readonly text: string } | { readonly kind: "failed"; readonly reason: string }>;

const maxOutputChars = 4_000;
const maxCommands = 50;
const inlineCommand = /!`([^`\n]+)`/g;

/**
 * Placeholders first, then commands: output is inserted as it is and never looked at again, so that
 * what a command prints cannot make a further command run.
 */
export async function preprocess(text: string, options: PreprocessOptions): Promise<string> {
  const filled = options.hasTemplateVars ? fillPlaceholders(text, options) : text;
  const run = options.inlineShell;
  if (run === undefined) return filled;
  const parts: string[] = [];
  let end = 0;
  let count = 0;
  for (const match of filled.matchAll(inlineCommand)) {
    const [whole, command = ""] = match;
    count += 1;
    if (count > maxCommands) break;
    parts.push(filled.slice(end, match.index), await outputOf(command.trim(), run, options));
    end = match.index + whole.length;
  }
  return parts.join("") + filled.slice(end);
}

function fillPlaceholders(text: string, options: PreprocessOptions): string {
  const withFolder = text.replace(/\$\{HERMES_SKILL_DIR\}/g, () => options.skillFolder);
  const { sessionId } = options;
  return sessionId === undefined ? withFolder : withFolder.replace(/\$\{HERMES_SESSION_ID\}/g, () => sessionId);
}

async function outputOf(command: string, run: InlineShell, options: PreprocessOptions): Promise<string> {
  try {
    const done = await run(command, { cwd: options.skillFolder, signal: options.signal });
    if (done.kind === "failed") return `[command failed: ${truncateEnd(done.reason, 200)}]`;
    return truncateEnd(done.text.trimEnd(), maxOutputChars, (omitted) => `[… ${omitted} characters left out]`);
  } catch (error) {
    if (options.signal.aborted) throw error;
    return `[command failed: ${truncateEnd(describe(error), 200)}]`;
  }
}
