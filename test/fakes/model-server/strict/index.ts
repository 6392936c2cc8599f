import type { FailureContent } from "../reply.ts";
import { anthropicRules } from "./anthropic.ts";
import { chatRules } from "./chat.ts";
import { commonRules, gateRules } from "./common.ts";
import { responsesRules } from "./responses.ts";
import type { Complaint, Rule, Subject } from "./rule.ts";

export interface StrictOptions {
  /** Rules that are not applied, by id. */
  readonly except?: readonly string[];
  /** Opt-in rules that are, by id. */
  readonly also?: readonly string[];
  /** Further top-level fields that pass. */
  readonly extraFields?: readonly string[];
  /** Further fields of messages or input items that pass. */
  readonly extraMessageFields?: readonly string[];
}

/** A request that was refused before any reply was looked for. */
export interface Rejection {
  readonly requestNumber: number;
  readonly rule: string;
  readonly message: string;
}

const byProtocol = { chat: chatRules, anthropic: anthropicRules, responses: responsesRules };

/** Every rule there is, in the order in which it is asked. */
export const allRules: readonly Rule[] = [
  ...gateRules,
  ...commonRules,
  ...chatRules,
  ...anthropicRules,
  ...responsesRules,
];

/** The rules of one server; unknown ids are mistakes in the test and thrown at once. */
export class Inspector {
  readonly #options: StrictOptions | undefined;

  constructor(strict: boolean | StrictOptions) {
    this.#options = strict === true ? {} : strict === false ? undefined : strict;
    const named = [...(this.#options?.except ?? []), ...(this.#options?.also ?? [])];
    const unknown = named.find((id) => !allRules.some((rule) => rule.id === id));
    if (unknown !== undefined) throw new Error(`There is no strict rule ${JSON.stringify(unknown)}.`);
  }

  get extraFields(): readonly string[] {
    return this.#options?.extraFields ?? [];
  }

  get extraMessageFields(): readonly string[] {
    return this.#options?.extraMessageFields ?? [];
  }

  /** The first rule that is broken. */
  inspect(subject: Subject): { readonly rule: Rule; readonly complaint: Complaint } | undefined {
    for (const rule of this.#rulesFor(subject)) {
      const complaint = rule.check(subject);
      if (complaint !== undefined) return { rule, complaint };
    }
    return undefined;
  }

  #rulesFor({ request }: Subject): readonly Rule[] {
    if (this.#options === undefined) return gateRules;
    const { except = [], also = [] } = this.#options;
    return [...gateRules, ...commonRules, ...byProtocol[request.protocol]].filter(
      ({ id, isOptIn }) => !except.includes(id) && (isOptIn !== true || also.includes(id)),
    );
  }
}

export function failureFor(complaint: Complaint): FailureContent {
  const { message, param, code } = complaint;
  return complaint.failure ?? { kind: "failure", status: 400, message, param: param ?? null, code: code ?? null };
}
