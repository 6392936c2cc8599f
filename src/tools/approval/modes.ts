import type { SessionScope } from "../contract/session-scope.ts";

/** How flagged commands are handled. */
export type ApprovalMode = "manual" | "smart" | "off";

/** Reads `approvals.mode`, which YAML may have turned into a boolean; unknown words mean asking. */
export function readMode(value: unknown): { readonly mode: ApprovalMode; readonly isUnknown: boolean } {
  if (value === false) return { mode: "off", isUnknown: false };
  if (value === true || value === undefined) return { mode: "manual", isUnknown: false };
  const word = String(value).trim().toLowerCase();
  if (word === "manual" || word === "smart" || word === "off") return { mode: word, isUnknown: false };
  return { mode: "manual", isUnknown: true };
}

export interface SurfaceRules {
  /** `approvals.cron_mode`. */
  readonly cron: "deny" | "approve";
  /** `approvals.headless`: surfaces where nobody can be asked. */
  readonly headless: "deny" | "allow";
}

export type SurfaceAnswer =
  | { readonly kind: "ask" }
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason: string; readonly hint: string };

const headlessSurfaces: ReadonlySet<string> = new Set(["api_server", "webhook", "one_shot", "batch"]);

/** Whether a surface can ask at all, and what holds where it cannot. */
export function surfaceAnswer(
  { source: surface, isAttended }: Pick<SessionScope, "source" | "isAttended">,
  rules: SurfaceRules,
): SurfaceAnswer {
  if (surface === "cron") {
    if (rules.cron === "approve") return { kind: "allow" };
    return {
      kind: "deny",
      reason: "flagged commands do not run in scheduled jobs",
      hint: "approvals.cron_mode decides this",
    };
  }
  // A caller of the API may say that it puts questions before a person.
  const asks = surface === "api_server" && isAttended === true;
  if (asks || !headlessSurfaces.has(surface)) return { kind: "ask" };
  if (rules.headless === "allow") return { kind: "allow" };
  return {
    kind: "deny",
    reason: "nobody can be asked here",
    hint: "approvals.headless decides this; one-shot runs take --yolo",
  };
}

/** `/yolo` per session, or for the whole process from its start. */
export class YoloSwitch {
  readonly #forProcess: boolean;
  readonly #isAllowed: boolean;
  readonly #sessions = new Set<string>();

  constructor(options: { readonly forProcess: boolean; readonly isAllowed: boolean }) {
    this.#forProcess = options.forProcess;
    this.#isAllowed = options.isAllowed;
  }

  isOn(sessionKey: string): boolean {
    return this.#isAllowed && (this.#forProcess || this.#sessions.has(sessionKey));
  }

  /** The new state; false also when it may not be switched on here. */
  toggle(sessionKey: string): boolean {
    if (this.#sessions.has(sessionKey)) this.#sessions.delete(sessionKey);
    else if (this.#isAllowed) this.#sessions.add(sessionKey);
    return this.isOn(sessionKey);
  }

  endSession(sessionKey: string): void {
    this.#sessions.delete(sessionKey);
  }
}
