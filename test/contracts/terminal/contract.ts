import { afterAll, beforeAll, describe } from "vitest";
import type { Terminal } from "#tools/testing";
import { commandContract } from "./commands.ts";
import { endContract } from "./ends.ts";
import { fileContract } from "./files.ts";
import { lifeContract } from "./life.ts";
import { processContract } from "./processes.ts";
import type { FoundSubject, TerminalSubject } from "./subject.ts";
import { toolContract } from "./tools.ts";

/** What the cases of a contract work with: the terminal they share, and the way to others. */
export interface Shared {
  readonly terminal: Terminal;
  readonly subject: TerminalSubject;
  readonly lacks: ReadonlySet<string>;
}

/** What every terminal does, wherever its commands run. */
export function terminalContract(found: FoundSubject): void {
  // Said aloud, so that a green run without the program is not mistaken for a proof.
  if (found.kind === "missing")
    process.stderr.write(`\nThe terminal contract is skipped for ${found.name}: ${found.why}\n`);
  describe.skipIf(found.kind === "missing")(`a ${found.name} terminal [30:4.2]`, () => {
    let subject: TerminalSubject | undefined;
    let terminal: Terminal | undefined;
    beforeAll(async () => {
      if (found.kind === "missing") return;
      subject = await found.start();
      terminal = await subject.open();
    }, 300_000);
    afterAll(async () => {
      await terminal?.[Symbol.asyncDispose]();
      await subject?.[Symbol.asyncDispose]();
    }, 60_000);
    const shared = (): Shared => {
      if (terminal === undefined || subject === undefined) throw new Error(`the ${found.name} terminal did not open`);
      return { terminal, subject, lacks: (found.kind === "present" ? found.lacks : undefined) ?? new Set() };
    };
    commandContract(shared);
    endContract(shared);
    processContract(shared, found.kind === "present" ? (found.lacks ?? new Set()) : new Set());
    fileContract(shared);
    toolContract(shared);
    lifeContract(shared);
  });
}
