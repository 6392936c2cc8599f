import type { WallRules } from "../../confinement/wall.ts";
import type { SessionScope } from "../../contract/session-scope.ts";
import {
  absolutePattern,
  type PermissionEffect,
  type PermissionRule,
  type PermissionSubject,
  readRuleTarget,
} from "./rule.ts";

/** Whose rules are asked: those of the home, of the folder the session works in, and its own. */
export type RuleOwner = Pick<SessionScope, "key" | "cwd">;

export interface PermissionVerdict {
  readonly effect: PermissionEffect;
  readonly rule: PermissionRule;
  /** For people and the model: which rule, and where it stands. */
  readonly reason: string;
}

/** A rule and what it has decided in a session so far. */
export interface ListedRule extends Pick<PermissionRule, "effect" | "text" | "origin"> {
  readonly times: number;
  /** The tool and what it was about, the last time. */
  readonly last: string;
}

type RuleRecord = Pick<ListedRule, "times" | "last">;

export interface PermissionsDeps {
  readonly home: readonly PermissionRule[];
  /** The rules of a folder, none where nobody trusts it. */
  project(folder: string): Promise<readonly PermissionRule[]>;
  readonly userHome: string;
}

const neverUsed: RuleRecord = { times: 0, last: "" };
const order: readonly PermissionEffect[] = ["deny", "ask", "allow"];

/**
 * The rules a person wrote about calls.
 *
 * 1. A deny wins over an ask, an ask over an allow, wherever they stand.
 * 2. An allow answers questions; it never opens what no answer opens, nor lets anything out of the wall.
 */
export class Permissions {
  readonly #deps: PermissionsDeps;
  readonly #projects = new Map<string, Promise<readonly PermissionRule[]>>();
  readonly #sessions = new Map<string, readonly PermissionRule[]>();
  readonly #records = new Map<string, Map<PermissionRule, RuleRecord>>();

  constructor(deps: PermissionsDeps) {
    this.#deps = deps;
  }

  async rules({ key, cwd }: RuleOwner): Promise<readonly PermissionRule[]> {
    const known = this.#projects.get(key) ?? this.#deps.project(cwd);
    this.#projects.set(key, known);
    return [...(this.#sessions.get(key) ?? []), ...(await known), ...this.#deps.home];
  }

  /** What the rules say about a call; undefined when none is about it. */
  async decide(subject: PermissionSubject, owner: RuleOwner): Promise<PermissionVerdict | undefined> {
    const rules = await this.rules(owner);
    if (rules.length === 0) return undefined;
    const { firstOf } = await import("./rule-match.ts");
    const location = { cwd: owner.cwd, home: this.#deps.userHome };
    for (const effect of order) {
      const rule = firstOf(
        rules.filter((one) => one.effect === effect),
        subject,
        location,
      );
      if (rule === undefined) continue;
      this.#note(owner.key, rule, subject);
      return { effect, rule, reason: `the rule ${effect} "${rule.text}" of ${rule.origin}` };
    }
    return undefined;
  }

  /** The rules in the order in which they count. */
  async list(owner: RuleOwner): Promise<readonly ListedRule[]> {
    const records = this.#records.get(owner.key);
    const rules = await this.rules(owner);
    return order.flatMap((effect) =>
      rules
        .filter((rule) => rule.effect === effect)
        .map((rule) => ({ effect, text: rule.text, origin: rule.origin, ...(records?.get(rule) ?? neverUsed) })),
    );
  }

  /** A rule for one session; a text says why it cannot be one. */
  add(sessionKey: string, effect: PermissionEffect, text: string): string | undefined {
    const target = readRuleTarget(text);
    if (typeof target === "string") return target;
    const kept = (this.#sessions.get(sessionKey) ?? []).filter((one) => one.text !== text);
    this.#sessions.set(sessionKey, [{ effect, text, origin: "this session", target }, ...kept]);
    return undefined;
  }

  remove(sessionKey: string, text: string): boolean {
    const before = this.#sessions.get(sessionKey) ?? [];
    const after = before.filter((one) => one.text !== text);
    this.#sessions.set(sessionKey, after);
    return after.length < before.length;
  }

  /** What holds for programs, too: plain paths and domains. Patterns hold for the file tools only. */
  async forWall(owner: RuleOwner): Promise<WallRules> {
    const rules = await this.rules(owner);
    const location = { cwd: owner.cwd, home: this.#deps.userHome };
    const paths = (effect: PermissionEffect, uses: readonly string[]): readonly string[] =>
      rules.flatMap(({ effect: is, target }) =>
        is === effect && target.kind === "path" && uses.includes(target.use) && !/[*?]/.test(target.pattern)
          ? [absolutePattern(target.pattern, location)]
          : [],
      );
    const hosts = (effect: PermissionEffect): readonly string[] =>
      rules.flatMap(({ effect: is, target }) =>
        is === effect && target.kind === "domain" ? both(target.pattern) : [],
      );
    const denied = paths("deny", ["any", "read", "write"]);
    return {
      writable: paths("allow", ["any", "write"]).filter((one) => !denied.includes(one)),
      masked: paths("deny", ["any", "read"]),
      allowedHosts: hosts("allow"),
      deniedHosts: hosts("deny"),
    };
  }

  endSession(sessionKey: string): void {
    this.#projects.delete(sessionKey);
    this.#sessions.delete(sessionKey);
    this.#records.delete(sessionKey);
  }

  #note(sessionKey: string, rule: PermissionRule, { tool, command, path, hosts }: PermissionSubject): void {
    const records = this.#records.get(sessionKey) ?? new Map<PermissionRule, RuleRecord>();
    const about = command ?? path?.real ?? hosts?.map(({ host }) => host).join(", ") ?? "";
    const last = about === "" ? tool : `${tool}: ${about}`;
    records.set(rule, { times: (records.get(rule)?.times ?? 0) + 1, last });
    this.#records.set(sessionKey, records);
  }
}

const both = (domain: string): readonly string[] => (domain.startsWith("*.") ? [domain] : [domain, `*.${domain}`]);
