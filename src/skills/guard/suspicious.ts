import { injection } from "./patterns/injection.ts";
import { logicalLines } from "./text-lines.ts";

/** Phrases of a loaded text that speak to the model against its user, each once, for the log and for the answer. */
export function suspiciousPhrases(text: string): readonly string[] {
  const found = new Set<string>();
  for (const { text: line, line: number } of logicalLines(text)) {
    for (const { pattern, says, id } of injection) {
      if (pattern.test(line)) found.add(`${id}: ${says} (line ${number})`);
    }
  }
  return [...found].slice(0, 10);
}
