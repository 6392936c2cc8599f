import { expect, it } from "vitest";
import type { ApprovalRequest } from "../contract/approval-request.ts";
import { askHost } from "./ask-host.ts";

it.each([
  [undefined, ["once", "session", "always", "deny"], "always"],
  ["guest", ["once", "session", "deny"], "session"],
])("[30:5.5] a host is allowed for good only by the owner of the home (%s)", async (userId, choices, counted) => {
  const asked: ApprovalRequest[] = [];
  const approver = {
    ask: (request: ApprovalRequest) => {
      asked.push(request);
      return Promise.resolve("always" as const);
    },
  };
  const owner = { approver, key: "s", userId, cwd: "/w" };
  const answer = await askHost(owner, { host: "far.example", port: 443 }, AbortSignal.timeout(10_000));
  expect(asked.map((one) => one.choices)).toEqual([choices]);
  expect(answer).toBe(counted);
});
