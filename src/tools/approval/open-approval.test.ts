import { describe, expect, it } from "vitest";
import { sudoFindings } from "./open-approval.ts";

describe("approvals.sudo: ask", () => {
  it.each([
    ["sudo ls", 1],
    ["true && sudo -n ls", 1],
    ["echo sudo", 0],
    ["ls", 0],
  ])("finds in %j %i reason to ask [30:4.9]", (command, count) => {
    expect(sudoFindings(command)).toHaveLength(count);
  });
});
