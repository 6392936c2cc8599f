import type { ApprovalChoice } from "#conversation";
import { UserError } from "#foundation/errors";
import type { Clock } from "#foundation/time/clock";
import { type OpenSession, type SessionEvent, toWire } from "#session";
import type { Events } from "./events.ts";

type Request = Extract<SessionEvent, { readonly type: "approval-request" }>;

export interface OpenPermission {
  readonly id: string;
  readonly session_key: string;
  readonly tool: string;
  readonly summary: string;
  readonly reasons: readonly string[];
  readonly decisions: readonly Decision[];
}

export const decisions = ["allow-once", "allow-always", "deny"] as const;
export type Decision = (typeof decisions)[number];

const choices: Readonly<Record<Decision, ApprovalChoice>> = {
  "allow-once": "once",
  "allow-always": "always",
  deny: "deny",
};

export interface PermissionsOptions {
  readonly allowsAlways: boolean;
  readonly clock: Clock;
  /** Text as it may be shown to a client. */
  shown(text: string): string;
}

interface Waiting {
  readonly request: Request;
  readonly key: string;
  readonly session: Pick<OpenSession, "approve" | "info">;
}

/** The approvals that turns of this server wait for. Another program's are its own person's to answer. */
export class Permissions {
  readonly #events: Events;
  readonly #options: PermissionsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(events: Events, options: PermissionsOptions) {
    this.#events = events;
    this.#options = options;
  }

  /** Sees every event of a session that this server runs. */
  see(event: SessionEvent, seq: number, { key, session }: Pick<Waiting, "key" | "session">): void {
    const tell = (told: SessionEvent, type: "approval_requested" | "approval_resolved"): void => {
      const ids = { sessionId: session.info.id, seq, atMs: this.#options.clock.now() };
      this.#events.add({ ...toWire(told, ids), type, session_key: key });
    };
    if (event.type === "approval-request") {
      const request = { ...event, summary: this.#options.shown(event.summary) };
      this.#waiting.set(event.id, { request, key, session });
      tell(request, "approval_requested");
    }
    if (event.type === "approval-response" && this.#waiting.delete(event.id)) tell(event, "approval_resolved");
  }

  list(): readonly OpenPermission[] {
    return [...this.#waiting.values()].map(({ request, key }) => ({
      id: request.id,
      session_key: key,
      tool: request.tool,
      summary: request.summary,
      reasons: request.reasons,
      decisions: decisions.filter((one) => this.#mayBe(one, request)),
    }));
  }

  respond(id: string, decision: Decision): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined)
      throw new UserError(`No permission ${id} is waiting here.`, {
        hint: "It was answered, ran out of time, or belongs to another program. permissions_list_open shows what waits.",
      });
    if (decision === "allow-always" && !this.#options.allowsAlways)
      throw new UserError("A client may not allow something for good.", {
        hint: "The person can change that with: hermes config set mcp_server.allow_always true",
      });
    if (!this.#mayBe(decision, waiting.request))
      throw new UserError(`${decision} is not offered for this call.`, { hint: "Use allow-once or deny." });
    waiting.session.approve(id, choices[decision]);
  }

  #mayBe(decision: Decision, { choices: offered }: Request): boolean {
    if (decision === "allow-always" && !this.#options.allowsAlways) return false;
    return offered.includes(choices[decision]);
  }
}
