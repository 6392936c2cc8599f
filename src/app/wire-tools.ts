import { tmpdir } from "node:os";
import path from "node:path";
import type { Clock } from "#foundation/clock";
import { Scope } from "#foundation/disposal";
import type { Logger } from "#foundation/logger";
import type { HermesHome } from "#foundation/paths";
import { Redactor } from "#foundation/redact";
import {
  type Approver,
  AvailabilityProbes,
  auditFile,
  Checkpoints,
  chooseEngine,
  clarifyTool,
  createGate,
  createLint,
  createPatchTool,
  createPathGuard,
  createProcessTool,
  createReadFileTool,
  createSearchFilesTool,
  createTerminalTool,
  createWriteFileTool,
  defaultFileOptions,
  defaultTerminalOptions,
  FileLedger,
  type GrantStore,
  Grants,
  type Listing,
  listTools,
  MaskMemory,
  openLocalTerminals,
  ReadHistory,
  scanCommand,
  ToolRegistry,
  Toolsets,
  todoTool,
  YoloSwitch,
} from "#tools";

export interface ToolboxOptions {
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  /** Where the user works. */
  readonly cwd: string;
  /** The user's home directory. */
  readonly userHome: string;
  readonly approver: Approver;
  readonly grants: GrantStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly yolo: boolean;
  /** Something a person should see once. */
  onNotice(text: string): void;
}

/** Everything a turn needs to run tools on this machine, built once and disposed in reverse. */
export interface Toolbox extends AsyncDisposable {
  readonly registry: ToolRegistry;
  readonly redactor: Redactor;
  redact(text: string): string;
  list(enabledToolsets: readonly string[] | undefined, signal: AbortSignal): Promise<Listing>;
}

export function openToolbox(options: ToolboxOptions): Toolbox {
  const scope = new Scope();
  const { clock, logger, home } = options;
  const redactor = new Redactor();
  const masks = new MaskMemory(redactor);
  const audit = scope.adopt(
    auditFile(path.join(home.logs, "approvals.jsonl"), { redact: (text) => redactor.redact(text), logger }),
  );
  const gate = createGate({
    approver: options.approver,
    grants: new Grants(options.grants, { clock, logger }),
    yolo: new YoloSwitch({ forProcess: options.yolo, isAllowed: true }),
    mode: () => "manual",
    surfaceRules: { cron: "deny", headless: "deny" },
    policy: [],
    timeoutMs: () => 60_000,
    place: (context) => ({
      cwd: context.cwd,
      home: options.userHome,
      hermesHome: home.root,
      tempDirs: [tmpdir(), "/tmp", "/var/tmp"],
      workspace: context.cwd,
    }),
    isContained: (context) => context.terminalKind !== "local" && context.terminalKind !== "ssh",
    scan: (command) => Promise.resolve(scanCommand(command)),
    audit,
    clock,
  });
  const terminals = scope.adopt(
    openLocalTerminals({
      cwd: options.cwd,
      env: options.env,
      hermesHome: home.root,
      sandbox: {
        mode: "auto",
        policy: { home: options.userHome, hermesHome: home.root, writable: [options.cwd], network: "on" },
        env: options.env,
        tempDir: tmpdir(),
      },
      onNotice: options.onNotice,
      clock,
      logger,
      recordFile: home.at("processes.json"),
      outputDir: home.at("cache", "processes"),
      redact: masks.redact,
    }),
  );
  const checkpoints = new Checkpoints({
    folder: home.checkpoints,
    maxSnapshots: 50,
    timeoutMs: 30_000,
    home: options.userHome,
    env: options.env,
    logger,
  });
  const files = {
    leases: terminals.leases,
    guard: createPathGuard({ hermesHome: home.root, platform: process.platform }, gate),
    ledger: new FileLedger(),
    history: new ReadHistory(),
    options: defaultFileOptions,
    redact: masks.redact,
    findMask: masks.find,
    lint: createLint({ commands: {} }),
    checkpoint: checkpoints.before.bind(checkpoints),
  };
  const terminal = {
    leases: terminals.leases,
    gate,
    processes: terminals.processes,
    options: { ...defaultTerminalOptions, cwd: options.cwd, home: options.userHome },
    redact: masks.redact,
  };
  const registry = new ToolRegistry(logger);
  let engine: ReturnType<typeof chooseEngine> | undefined;
  for (const tool of [
    createReadFileTool(files),
    createWriteFileTool(files),
    createPatchTool(files),
    createSearchFilesTool({
      ...files,
      engine: () => {
        engine ??= chooseEngine(options.env);
        return engine;
      },
    }),
    createTerminalTool(terminal),
    createProcessTool({ ...terminal, now: () => clock.now() }),
    todoTool,
    clarifyTool,
  ]) {
    registry.register(tool);
  }
  const probes = new AvailabilityProbes(clock);
  return {
    registry,
    redactor,
    redact: masks.redact,
    async list(enabledToolsets, signal) {
      const snapshot = registry.snapshot();
      const wish = enabledToolsets === undefined ? {} : { enabledToolsets };
      return listTools({ snapshot, toolsets: new Toolsets(snapshot), probes }, wish, signal);
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
