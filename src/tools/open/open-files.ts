import { tmpdir } from "node:os";
import path from "node:path";
import { isTruthy } from "#config";
import { never } from "#foundation/lifecycle/abort";
import { ownEnvironment } from "#foundation/process/platform";
import { createPathGuard, type PathRules } from "../approval/paths.ts";
import type { ApprovalGate } from "../contract/approval-request.ts";
import type { FileDeps } from "../files/file-access.ts";
import { FileLedger } from "../files/ledger.ts";
import { createLint } from "../files/lint.ts";
import { ReadHistory } from "../files/read-history.ts";
import { chooseEngine } from "../files/search/choose.ts";
import type { ChangeCover } from "../files/snapshots/change-cover.ts";
import type { Terminals } from "./open-terminals.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface Files {
  readonly deps: FileDeps;
  readonly history: ReadHistory;
  readonly ledger: FileLedger;
  /** What searches; chosen when something is first looked for. */
  engine(): ReturnType<typeof chooseEngine>;
}

export interface FilesOptions {
  readonly terminals: Terminals;
  readonly gate: ApprovalGate;
  readonly cover: ChangeCover;
}

/** What the file tools share: the guard of paths, the memory of what was read, snapshots before changes. */
export function openFiles(base: ToolsBase, { terminals, gate, cover }: FilesOptions): Files {
  const { config, env, redact, findMask } = base;
  const history = new ReadHistory();
  const ledger = isTruthy(env["HERMES_DISABLE_FILE_STATE_GUARD"]) ? new CarelessLedger() : new FileLedger();
  const safeRoot = env["HERMES_WRITE_SAFE_ROOT"]?.trim() ?? "";
  const rules: PathRules = {
    confinement: async (scope, signal) => (await terminals.walls.of(scope, signal)).confinement,
    reveal: async (scope, file) => (await terminals.walls.of(scope, never)).reveal(file),
    noteRead: async (scope, file) => (await terminals.walls.of(scope, never)).noteRead(file),
    isForeignFolder: (folder) => base.machine.loaded.trust.isAwaited(folder),
    safeRoot: safeRoot === "" ? undefined : path.resolve(safeRoot),
  };
  let engine: ReturnType<typeof chooseEngine> | undefined;
  const deps: FileDeps = {
    leases: terminals.leases,
    guard: createPathGuard(rules, gate),
    mayRead: async (terminal, { scope, signal }) => {
      if (terminal.kind !== "local") return () => true;
      const wall = await terminals.walls.of(scope, signal);
      return (real) => wall.mayRead(real);
    },
    ledger,
    history,
    options: {
      maxReadChars: config.file_read_max_chars,
      maxLines: config.tool_output.max_lines,
      maxLineLength: config.tool_output.max_line_length,
      staleWrite: config.file_safety.stale_write ?? "block",
    },
    redact,
    findMask,
    lint: createLint({ commands: config.lint }),
    checkpoint: (change, context) => cover.beforeWriting(change, context, context.signal),
  };
  return {
    deps,
    history,
    ledger,
    engine() {
      engine ??= chooseEngine(ownEnvironment(env, [base.machine.cwd, tmpdir()]));
      return engine;
    },
  };
}

/** `HERMES_DISABLE_FILE_STATE_GUARD`: locks still hold, but nothing counts as stale. */
class CarelessLedger extends FileLedger {
  override stale(): undefined {
    return undefined;
  }
}
