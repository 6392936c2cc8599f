import { tmpdir } from "node:os";
import path from "node:path";
import { readSwitches } from "#config";
import { allowlistStore } from "../approval/allowlist.ts";
import { type AuditEntry, auditFile } from "../approval/audit.ts";
import { isContained } from "../approval/container-bypass.ts";
import { type CommandScanner, combineScanners, externalScanner } from "../approval/detector/external-scanner.ts";
import { localFacts } from "../approval/detector/local-facts.ts";
import { scanCommand } from "../approval/detector/scanner.ts";
import type { GateDeps } from "../approval/gate.ts";
import { Grants } from "../approval/grants.ts";
import { readMode, YoloSwitch } from "../approval/modes.ts";
import type { Permissions } from "../approval/permissions/permissions.ts";
import { PlanMode } from "../approval/plan-mode.ts";
import type { Walls } from "../confinement/walls.ts";
import type { ApprovalGate, Finding } from "../contract/approval-request.ts";
import type { ChangeCover } from "../files/snapshots/change-cover.ts";
import { childEnvironment } from "../terminals/environment-variables.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface Approval {
  readonly gate: ApprovalGate;
  readonly grants: Grants;
  readonly yolo: YoloSwitch;
  readonly permissions: Permissions;
  readonly plan: PlanMode;
  /** For commands a person types: typing is agreeing. What never runs does not run here either, and all is recorded. */
  readonly personGate: ApprovalGate;
}

/** The one gate, as the settings want it. `decided` hears of every decision besides the file of approvals. */
export function openApproval(
  base: ToolsBase,
  deps: {
    readonly walls: Walls;
    readonly permissions: Permissions;
    readonly cover: Pick<ChangeCover, "isCovered">;
    decided(entry: AuditEntry): void;
  },
): Approval {
  const { machine, config, env } = base;
  const { walls, permissions, decided } = deps;
  const { home, clock, logger, userHome } = machine;
  const { approvals } = config;
  const redact = (text: string): string => machine.redactor.redact(text);
  const file = base.scope.adopt(auditFile(path.join(home.logs, "approvals.jsonl"), { redact, logger }));
  const store = allowlistStore({
    home,
    env: machine.env,
    initial: config.command_allowlist,
    onProblem: (message) => machine.notice(message),
  });
  const grants = new Grants(store, { clock, logger });
  const isYolo = base.options.yolo === true || readSwitches(env).isYolo;
  if (isYolo && !approvals.allow_yolo)
    machine.notice("Approvals stay on: approvals.allow_yolo does not let them be switched off.");
  const yolo = new YoloSwitch({ forProcess: isYolo, isAllowed: approvals.allow_yolo });
  const tempDirs = [...new Set([tmpdir(), "/tmp", "/var/tmp"])];
  const sinceMs = clock.now();
  const common = {
    grants,
    yolo,
    surfaceRules: { cron: approvals.cron_mode, headless: approvals.headless },
    location: ({ cwd, scope, terminalKind }) => {
      const location = {
        cwd,
        home: userHome,
        hermesHome: home.root,
        tempDirs,
        workspace: scope.terminal.cwd ?? scope.cwd,
      };
      const writable = [location.workspace, ...tempDirs];
      const facts = terminalKind === "local" ? localFacts({ searchPath: env["PATH"], writable, sinceMs }) : undefined;
      return { ...location, ...facts, sudo: approvals.sudo };
    },
    isContained: ({ terminalKind }) => isContained(terminalKind, config),
    audit: (entry) => {
      file(entry);
      decided(entry);
    },
    clock,
  } satisfies Partial<GateDeps>;
  const gate = gateOf({
    ...common,
    permissions,
    onAsk: (request, signal) => base.extensions.onAsk(request, signal),
    onAnswer: (request, choice) => base.extensions.onAnswer(request, choice),
    mode: () => readMode(approvals.mode).mode,
    scan: scannerOf(base),
    unheld: unheldFindings(walls),
    needsOutside: async (command, { scope, terminalKind, inputOf, signal }, location) => {
      if (terminalKind !== "local" || inputOf !== undefined) return undefined;
      const { hasEngine, needsEngine } = await import("../approval/held/engine-clients.ts");
      const reason = needsEngine(command, location);
      if (reason === undefined || !hasEngine(machine.env, userHome)) return undefined;
      return (await walls.of(scope, signal)).isInForce ? reason : undefined;
    },
    heldBy: async ({ scope, terminalKind, outside, signal }) => {
      if (terminalKind !== "local" || outside !== undefined) return undefined;
      const { confinement, isInForce } = await walls.of(scope, signal);
      if (!isInForce || !(await deps.cover.isCovered(confinement.workspace, scope, signal))) return undefined;
      return { asksForHosts: confinement.network.mode !== "open" };
    },
  });
  const approver = { ask: () => Promise.resolve("once" as const) };
  const personGate = gateOf({ ...common, permissions: undefined, approver, mode: () => "manual" });
  return { gate, grants, yolo, permissions, plan: new PlanMode(), personGate };
}

/** Reading shell text takes a quarter of the whole program: it is loaded when the first call is judged. */
function gateOf(deps: GateDeps): ApprovalGate {
  let opened: Promise<ApprovalGate> | undefined;
  const open = (): Promise<ApprovalGate> => {
    opened ??= import("../approval/gate.ts").then(({ createGate }) => createGate(deps));
    return opened;
  };
  return {
    checkCommand: async (command, context) => (await open()).checkCommand(command, context),
    checkFindings: async (summary, findings, context) => (await open()).checkFindings(summary, findings, context),
  };
}

function unheldFindings(walls: Walls): NonNullable<GateDeps["unheld"]> {
  return async (command, { scope, terminalKind, inputOf, signal }, location) => {
    if (terminalKind !== "local") return [];
    const { confinement } = await walls.of(scope, signal);
    if (confinement.enforcement !== "none") return [];
    const { isHarmlessUnheld } = await import("../approval/unheld.ts");
    return inputOf === undefined && isHarmlessUnheld(command, location, confinement) ? [] : [unheldFinding];
  };
}

/** Where nothing holds programs inside, what a sandbox would have contained is asked about, one by one. */
const unheldFinding: Finding = {
  key: "no sandbox",
  description: "no sandbox works on this machine, so nothing would hold this command inside the workspace",
  severity: "ask",
  source: "policy",
  isExact: true,
};

function scannerOf({ config, env, machine }: ToolsBase): CommandScanner {
  const { security } = config;
  const scanners: CommandScanner[] = [(command) => Promise.resolve(scanCommand(command))];
  if (security.tirith_enabled)
    scanners.push(
      externalScanner({
        program: security.tirith_path,
        timeoutMs: security.tirith_timeout * 1000,
        failOpen: security.tirith_fail_open,
        env: () => childEnvironment(env, { policy: "minimal" }),
        logger: machine.logger,
      }),
    );
  return combineScanners(...scanners);
}
