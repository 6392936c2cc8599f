import { describe, expect, it } from "vitest";
import type { ApprovalAnswer, ApprovalChoice } from "#conversation";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { Conversations, SessionEvent, SessionInfo } from "#session";
import { Events } from "./events.ts";
import { Permissions } from "./permissions.ts";

const nothing = {} as Conversations;

function stage(allowsAlways: boolean) {
  const events = new Events({ conversations: nothing, clock: new FakeClock(), shown: (text) => text });
  const shown = (text: string): string => text.replaceAll("hunter2", "***");
  const permissions = new Permissions(events, { allowsAlways, clock: new FakeClock(), shown });
  const decided: [string, ApprovalAnswer][] = [];
  const session = {
    info: { id: "s1" } as SessionInfo,
    approve: (id: string, choice: ApprovalAnswer) => void decided.push([id, choice]),
  };
  const see = (event: SessionEvent): void => permissions.see(event, 1, { key: "key", session });
  const request = (choices: readonly ApprovalChoice[]): void =>
    see({
      type: "approval-request",
      id: "apr_1",
      tool: "terminal",
      summary: "rm -rf build --password hunter2",
      reasons: ["removes files"],
      choices,
      isDestructive: true,
    });
  return { permissions, decided, see, request };
}

describe("permissions that wait", () => {
  it("are shown without secrets, decided once, and gone with the answer [30:6.7]", () => {
    const { permissions, decided, see, request } = stage(false);
    request(["once", "session", "always", "deny"]);
    expect(permissions.list()).toEqual([
      {
        id: "apr_1",
        session_key: "key",
        tool: "terminal",
        summary: "rm -rf build --password ***",
        reasons: ["removes files"],
        decisions: ["allow-once", "deny"],
      },
    ]);
    permissions.respond("apr_1", "allow-once");
    expect(decided).toEqual([["apr_1", "once"]]);
    see({ type: "approval-response", id: "apr_1", choice: "once" });
    expect(permissions.list()).toEqual([]);
    expect(() => permissions.respond("apr_1", "deny")).toThrow(/is waiting here/);
  });

  it("may be given for good only where the settings say so, and the call offers it [30:6.7]", () => {
    const strict = stage(false);
    strict.request(["once", "always", "deny"]);
    expect(() => strict.permissions.respond("apr_1", "allow-always")).toThrow(/for good/);
    const open = stage(true);
    open.request(["once", "always", "deny"]);
    open.permissions.respond("apr_1", "allow-always");
    expect(open.decided).toEqual([["apr_1", "always"]]);
    const narrow = stage(true);
    narrow.request(["once", "deny"]);
    expect(() => narrow.permissions.respond("apr_1", "allow-always")).toThrow(/not offered/);
    expect([...strict.decided, ...narrow.decided]).toEqual([]);
  });
});
