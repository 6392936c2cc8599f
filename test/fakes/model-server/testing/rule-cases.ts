import { expect, test } from "vitest";
import { type ModelServer, type StrictOptions, says, startModelServer } from "../index.ts";
import { ask, type Wire } from "./ask.ts";

/** One rule: a body that keeps it, a body that breaks it, and what the refusal says. */
export interface RuleCase {
  readonly rule: string;
  readonly accepted: Body;
  readonly rejected: Body;
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Lets the server hand something out first, so that it can be sent back. */
  readonly prepare?: (server: ModelServer) => Promise<void>;
  readonly strict?: StrictOptions;
}

type Body = unknown;

export interface CaseTable {
  readonly wire: Wire;
  readonly cases: readonly RuleCase[];
}

/** Runs every case over HTTP against a strict server. */
export function checkRules({ wire, cases }: CaseTable): void {
  test.each(cases.map((entry) => [entry.rule, entry.message.slice(0, 60), entry] as const))(
    "%s: %s",
    async (_rule, _message, entry) => {
      await using server = await startModelServer({ strict: entry.strict ?? true });
      await entry.prepare?.(server);
      server.otherwise(says("fine"));
      const before = server.rejections.length;
      const good = await ask(server, wire, { body: entry.accepted });
      expect([good.status, server.rejections.slice(before)]).toEqual([200, []]);
      const bad = await ask(server, wire, {
        body: entry.rejected,
        ...(entry.headers === undefined ? {} : { headers: entry.headers }),
      });
      expect(server.rejections.slice(before)).toEqual([
        { requestNumber: server.requests.length, rule: entry.rule, message: entry.message },
      ]);
      expect([bad.status, bad.json()]).toEqual([400, errorBody(wire, entry)]);
    },
  );
}

function errorBody(wire: Wire, entry: RuleCase): unknown {
  const { message, param, code } = entry;
  const type = "invalid_request_error";
  return wire === "anthropic"
    ? { type: "error", error: { type, message }, request_id: expect.stringMatching(/^req_/) }
    : { error: { message, type, param: param ?? null, code: code ?? null } };
}
