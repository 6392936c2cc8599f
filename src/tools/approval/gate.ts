import type { ApprovalAnswer, ApprovalChoice } from "#conversation";
import { defined } from "#foundation/defined";
import { linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { newId } from "#foundation/text/ids";
import type { Clock } from "#foundation/time/clock";
import type {
  ApprovalGate,
  ApprovalRequest,
  Approver,
  Finding,
  GateContext,
  GateVerdict,
} from "../contract/approval-request.ts";
import type { AuditEntry } from "./audit.ts";
import { type DetectLocation, detect } from "./detector/detect.ts";
import { detectInput } from "./detector/detect-input.ts";
import { linesOf, scopesOf } from "./explain-request.ts";
import { folderOf, staysBelow } from "./folder-scope.ts";
import type { GrantedFor, Grants } from "./grants.ts";
import { type Holding, stillAsked } from "./held/still-asked.ts";
import { type ApprovalMode, type SurfaceRules, surfaceAnswer, type YoloSwitch } from "./modes.ts";
import type { Permissions, PermissionVerdict } from "./permissions/permissions.ts";
import { ruleFinding } from "./permissions/rule-finding.ts";
import { judgeCommand } from "./smart.ts";

export interface GateDeps {
  /** Answers in place of whoever the session asks. */
  readonly approver?: Approver;
  readonly grants: Grants;
  readonly yolo: YoloSwitch;
  readonly mode: () => ApprovalMode;
  readonly surfaceRules: SurfaceRules;
  /** The rules a person wrote; none about what a person types. */
  readonly permissions: Pick<Permissions, "decide"> | undefined;
  location(context: GateContext): DetectLocation;
  /** True when a command in this terminal cannot reach the host. */
  isContained(context: GateContext): boolean;
  /** Findings about a command that no sandbox would hold here; none where one does. */
  unheld?(command: string, context: GateContext, location: DetectLocation): Promise<readonly Finding[]>;
  /** What holds the command, where a sandbox does and all it could change can be brought back. */
  heldBy?(context: GateContext): Promise<Holding | undefined>;
  /** Why the command can only work outside of the sandbox that holds it; undefined for most, and where none does. */
  needsOutside?(command: string, context: GateContext, location: DetectLocation): Promise<string | undefined>;
  /** Content scanners; their findings can be approved, but not for good. */
  scan?(command: string, signal: AbortSignal): Promise<readonly Finding[]>;
  /** Somebody is about to be asked. */
  onAsk?(request: ApprovalRequest, signal: AbortSignal): Promise<void>;
  /** Somebody has answered; the answer stands, also when the time for it has run out meanwhile. */
  onAnswer?(request: ApprovalRequest, choice: ApprovalChoice): Promise<void>;
  readonly audit: (entry: AuditEntry) => void;
  readonly clock: Clock;
}

const touchEveryMs = 10_000;
const everyChoice: readonly ApprovalChoice[] = ["once", "folder", "session", "always", "deny"];

/** The one gate. Order: hardline, rules, yolo, findings less grants, surface, smart, a person. In a container only rules count. */
export function createGate(deps: GateDeps): ApprovalGate {
  return {
    async checkCommand(command, context) {
      if (deps.isContained(context)) return judge(deps, { command, context, findings: [], isCommand: true });
      const location = deps.location(context);
      const { hardline, findings } =
        context.inputOf === undefined
          ? detect(command, location)
          : detectInput(command, { program: context.inputOf, location });
      if (hardline !== undefined)
        return decided(deps, { command, context, findings: [hardline] }, hardlineVerdict(hardline));
      const scanned = (await deps.scan?.(command, context.signal)) ?? [];
      const unheld = (await deps.unheld?.(command, context, location)) ?? [];
      // Where nothing holds a command there is nothing to leave.
      const reason = context.outside?.reason ?? (await deps.needsOutside?.(command, context, location));
      const leaving = reason === undefined || unheld.length > 0 ? [] : [leavingFinding(reason)];
      const all = [...leaving, ...findings, ...unheld, ...scanned];
      const isQuiet = await isHeldWork(deps, { command, context, findings: all }, location);
      return judge(deps, { command, context, findings: isQuiet ? [] : all, isCommand: true });
    },
    checkFindings: (summary, findings, context) => judge(deps, { command: summary, context, findings }),
  };
}

/** Nobody is asked about work that the sandbox holds; that it ran is recorded like an answer. */
async function isHeldWork(deps: GateDeps, input: Case, location: DetectLocation): Promise<boolean> {
  const { command, context, findings } = input;
  if (findings.length === 0 || context.inputOf !== undefined || deps.heldBy === undefined) return false;
  const isAsked = (holding: Holding): boolean => stillAsked(command, findings, { location, holding }).length > 0;
  // Reading is cheap, a snapshot less so.
  if (isAsked({ asksForHosts: true })) return false;
  const holding = await deps.heldBy(context);
  if (holding === undefined || (!holding.asksForHosts && isAsked(holding))) return false;
  decided(deps, input, { kind: "run", note: "the sandbox holds it, and a snapshot was taken" });
  return true;
}

interface Case {
  readonly command: string;
  readonly context: GateContext;
  readonly findings: readonly Finding[];
  /** What is judged is a command, not something a tool found. */
  readonly isCommand?: boolean | undefined;
  /** What a person answered, once one was asked. */
  readonly choice?: ApprovalChoice;
}

async function judge(deps: GateDeps, input: Case): Promise<GateVerdict> {
  const { command, context } = input;
  const rule = await ruleFor(deps, input);
  if (rule?.effect === "deny") return decided(deps, input, blocked(`${rule.reason} forbids it`, input.findings));
  const asked = rule?.effect === "ask" ? [...input.findings, ruleFinding(rule)] : input.findings;
  if (asked.length === 0) return { kind: "run" };
  const { scope } = context;
  if (asked.some(({ leavesWall }) => leavesWall === true)) return askToLeave(deps, { ...input, findings: asked });
  if (rule?.effect === "allow") return decided(deps, input, { kind: "run", note: rule.reason });
  if (deps.yolo.isOn(scope.key) || deps.mode() === "off")
    return decided(deps, input, { kind: "run", note: "approvals are switched off" });
  const subject = subjectOf(deps, input);
  const granted = await Promise.all(asked.map((finding) => deps.grants.isGranted(finding, subject)));
  const open = asked.filter((_, index) => granted[index] !== true);
  const now: Case = { ...input, findings: open };
  if (open.length === 0) return decided(deps, { ...input, findings: asked }, { kind: "run", note: "approved earlier" });
  const answer = surfaceAnswer(scope, deps.surfaceRules);
  // What is exact needs the word of a person: no surface and no model gives it.
  const isExact = open.some((finding) => finding.isExact === true);
  if (isExact && (answer.kind !== "ask" || isUnattended(deps, context)))
    return decided(deps, now, blocked("nobody can be asked here", open));
  if (isUnattended(deps, context) && deps.surfaceRules.headless === "allow")
    return decided(deps, now, { kind: "run", note: "nobody can be asked here, and that allows flagged commands" });
  if (answer.kind === "allow") return decided(deps, now, { kind: "run", note: "this surface allows flagged commands" });
  if (answer.kind === "deny") return decided(deps, now, { ...blocked(answer.reason, open), hint: answer.hint });
  if (deps.mode() === "smart" && !isExact) {
    const verdict = await judgeCommand(scope.auxiliary, { command, findings: open }, context.signal);
    if (verdict === "deny") return decided(deps, now, blocked("it was judged dangerous", open));
    if (verdict === "approve") {
      deps.grants.grantCommand(subject);
      return decided(deps, now, { kind: "run", note: "judged safe by a side model" });
    }
  }
  return askPerson(deps, now);
}

/** Rules about tools and servers were asked before the call began; here only an allow of theirs counts, as an answer. */
async function ruleFor(deps: GateDeps, input: Case): Promise<PermissionVerdict | undefined> {
  const { command, context, isCommand, findings } = input;
  const { tool, scope, path, mcp } = context;
  if (path !== undefined) return deps.permissions?.decide({ tool: "", path }, scope);
  if (isCommand === true) return deps.permissions?.decide({ tool, command }, scope);
  if (findings.some(({ source }) => source === "rule")) return undefined;
  const rule = await deps.permissions?.decide({ tool, mcp }, scope);
  return rule?.effect === "allow" ? rule : undefined;
}

/** Out of the wall only with the word of a person, each time anew: no switch, no surface and no earlier answer replaces it. */
async function askToLeave(deps: GateDeps, input: Case): Promise<GateVerdict> {
  const isAsking = surfaceAnswer(input.context.scope, deps.surfaceRules).kind === "ask";
  if (isAsking && !isUnattended(deps, input.context)) return askPerson(deps, input);
  return decided(
    deps,
    input,
    blocked("nobody can be asked here, and nothing runs outside the sandbox without", input.findings),
  );
}

async function askPerson(deps: GateDeps, input: Case): Promise<GateVerdict> {
  const { command, context, findings } = input;
  const location = deps.location(context);
  const folder = isCommandOfItsOwn(input) ? folderOf(command, findings, location) : undefined;
  const request: ApprovalRequest = {
    id: newId("apr"),
    callId: context.callId,
    tool: context.tool,
    summary: command,
    findings,
    choices: choicesFor(findings, context).filter((one) => one !== "folder" || folder !== undefined),
    scopes: scopesOf(findings, folder),
    lines: linesOf(command, findings, location),
    isDestructive: true,
    sessionKey: context.scope.key,
    taskId: context.taskId,
  };
  const answer = await answerOf(deps, request, context);
  const choice = typeof answer === "string" ? answer : answer.choice;
  const keys = findings.map((finding) => finding.key);
  if (choice === "deny") {
    const why = isUnattended(deps, context) ? "nobody can be asked here" : refusalWords(answer);
    return decided(deps, { ...input, choice }, blocked(why, findings));
  }
  await keepGrant(deps, { ...input, choice: offered(choice, request.choices) }, folder);
  return decided(
    deps,
    { ...input, choice },
    { kind: "run", note: `approved by the user (${choice}): ${keys.join(", ")}` },
  );
}

/** What is allowed for good holds for the whole home, so only its owner is offered that, and never for what is exact. */
function choicesFor(findings: readonly Finding[], { scope }: GateContext): readonly ApprovalChoice[] {
  if (findings.some(({ leavesWall }) => leavesWall === true)) return ["once", "deny"];
  const isNarrow = findings.some(({ source, isExact }) => source === "scanner" || isExact === true);
  return isNarrow || scope.userId !== undefined ? everyChoice.filter((one) => one !== "always") : everyChoice;
}

/** An answer that was not offered counts as the next smaller one. */
function offered(choice: ApprovalChoice, choices: readonly ApprovalChoice[]): ApprovalChoice {
  const order: readonly ApprovalChoice[] = ["always", "session", "folder", "once"];
  return order.slice(Math.max(0, order.indexOf(choice))).find((one) => choices.includes(one)) ?? "once";
}

/** `once` is never kept. What is exact is kept for exactly this; the rest by what it counts as, below a folder or anywhere. */
async function keepGrant(deps: GateDeps, input: Case, folder: string | undefined): Promise<void> {
  const { context, findings, choice } = input;
  if (choice === undefined || choice === "once" || choice === "deny") return;
  if (findings.some(({ isExact }) => isExact === true)) return deps.grants.grantCommand(subjectOf(deps, input));
  const keys = findings.map(({ key }) => key);
  if (choice === "folder") {
    if (folder !== undefined) deps.grants.grantFolder(context.scope.key, folder, keys);
    return;
  }
  if (choice === "always") await deps.grants.grantAlways(context.scope.key, keys);
  else deps.grants.grantSession(context.scope.key, keys);
}

/** Where the folder it runs in is known: of input for a running program it is not. */
function isCommandOfItsOwn({ isCommand, context }: Case): boolean {
  return isCommand === true && context.inputOf === undefined;
}

function subjectOf(deps: GateDeps, input: Case): GrantedFor {
  const { command, context } = input;
  const { scope, cwd, terminalKind, inputOf } = context;
  return {
    command,
    sessionKey: scope.key,
    cwd,
    requester: scope.userId,
    within: inputOf ?? terminalKind,
    staysBelow: (folder) => isCommandOfItsOwn(input) && staysBelow(folder, command, deps.location(context)),
  };
}

function refusalWords(answer: ApprovalAnswer): string {
  const reason = typeof answer === "string" ? "" : answer.reason.trim();
  return reason === ""
    ? "the user did not approve it"
    : `the user did not approve it and says: ${JSON.stringify(reason)}`;
}

/** A person's answer; silence and an error mean no. The time is kept by whoever shows the question. */
async function answerOf(deps: GateDeps, request: ApprovalRequest, context: GateContext): Promise<ApprovalAnswer> {
  const { signal } = context;
  const stop = new AbortController();
  const alive = keepAlive(deps.clock, context, linkSignals(signal, stop.signal));
  try {
    await deps.onAsk?.(request, signal);
    const answer = await raceAbort(approverOf(deps, context).ask(request, signal), signal);
    await deps.onAnswer?.(request, typeof answer === "string" ? answer : answer.choice);
    return answer;
  } catch (error) {
    if (signal.aborted) throw error;
    return "deny";
  } finally {
    stop.abort();
    await alive;
  }
}

function approverOf(deps: GateDeps, { scope }: Pick<GateContext, "scope">): Approver {
  return deps.approver ?? scope.approver;
}

function isUnattended(deps: GateDeps, { scope, taskId }: GateContext): boolean {
  return approverOf(deps, { scope }).canAsk?.({ sessionKey: scope.key, taskId }) === false;
}

async function keepAlive(clock: Clock, context: GateContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    context.progress?.("waiting for approval");
    try {
      await clock.sleep(touchEveryMs, signal);
    } catch {
      return;
    }
  }
}

function decided(deps: GateDeps, input: Case, judged: GateVerdict): GateVerdict {
  const isUnconfined = input.findings.some(({ leavesWall }) => leavesWall === true);
  const verdict = judged.kind === "run" && isUnconfined ? { ...judged, isUnconfined } : judged;
  deps.audit({
    atMs: deps.clock.now(),
    sessionKey: input.context.scope.key,
    taskId: input.context.taskId,
    ...defined({ callId: input.context.callId }),
    tool: input.context.tool,
    surface: input.context.scope.source,
    command: input.command,
    keys: input.findings.map((finding) => finding.key),
    verdict: verdict.kind,
    why: verdict.kind === "run" ? (verdict.note ?? "") : verdict.reason,
    ...defined({ choice: input.choice }),
  });
  return verdict;
}

function blocked(why: string, findings: readonly Finding[]): Extract<GateVerdict, { kind: "blocked" }> {
  const what = findings.map((finding) => finding.description).join("; ");
  const about = what === "" ? "" : ` (${what})`;
  return {
    kind: "blocked",
    reason: `This was not run${about}: ${why}. Do not try it again, nor in another form; find another way or tell the user what you would need.`,
    isHardline: false,
    findings,
  };
}

function hardlineVerdict(finding: Finding): GateVerdict {
  return {
    kind: "blocked",
    reason: `This was not run: ${finding.description}. It never runs here, whatever anyone approves, yolo included. Do not try it in another form.`,
    isHardline: true,
    findings: [finding],
  };
}

function leavingFinding(reason: string): Finding {
  const description = `runs outside the sandbox, with your own rights, because: ${reason}`;
  return { key: "run outside the sandbox", description, severity: "ask", source: "policy", leavesWall: true };
}
