import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { type Clock, systemClock } from "#foundation/time/clock";
import { noAbilities, runTool, toolContext } from "#tools/testing";
import type { MemoryTarget } from "./entries.ts";
import { memoryTool, type NoteTaking, noteTaking } from "./memory-tool.ts";
import { type MemoryWrite, MemoryWrites } from "./memory-writes.ts";
import { Notes, type NotesSettings } from "./notes.ts";
import { Quarantine } from "./quarantine.ts";

export const defaultNotesSettings: Readonly<Record<MemoryTarget, NotesSettings>> = {
  memory: { isEnabled: true, limit: 2_200 },
  user: { isEnabled: true, limit: 1_375 },
};

export interface StageOptions {
  readonly clock?: Clock;
  readonly settings?: typeof defaultNotesSettings;
  readonly taintedBy?: string;
}

/** For tests: a home in a temporary folder with the notes, and a function that calls the tool as a model would. */
export async function memoryStage(options: StageOptions = {}) {
  const home = await mkdtemp(join(tmpdir(), "hermes-memory-"));
  const folder = join(home, "memories");
  const clock = options.clock ?? systemClock;
  const logger = memoryLogger();
  const notes = new Notes({ folder, settings: options.settings ?? defaultNotesSettings, clock });
  const mirrored: MemoryWrite[] = [];
  const mirror = (write: MemoryWrite): void => void mirrored.push(write);
  const writes = new MemoryWrites({ notes, quarantine: new Quarantine({ folder, clock }), logger, mirror });
  let taintedBy = options.taintedBy;
  const taking: NoteTaking = {
    notes,
    writes,
    isTainted: () => taintedBy,
    origin: { writeOrigin: "assistant_tool", executionContext: "primary", parentSessionId: "" },
  };
  const agent = noAbilities.with(noteTaking, taking);
  const call = async (args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> => {
    const { content } = await runTool(memoryTool, args, toolContext({ agent }));
    return content as Readonly<Record<string, unknown>>;
  };
  return {
    home,
    folder,
    notes,
    writes,
    mirrored,
    logger,
    taking,
    agent,
    call,
    taint: (source: string | undefined) => {
      taintedBy = source;
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}
