import { describe, expect, it } from "vitest";
import { defaultConfig } from "#config";
import { isContained } from "./container-bypass.ts";

const config = await defaultConfig();

function contained(
  kind: string,
  changes: { readonly mode?: "auto" | "skip" | "check"; readonly terminal?: Partial<typeof config.terminal> } = {},
): boolean {
  return isContained(kind, {
    approvals: { ...config.approvals, container_mode: changes.mode ?? "auto" },
    terminal: { ...config.terminal, ...changes.terminal },
  });
}

describe("commands in containers", () => {
  it.each(["docker", "modal", "daytona"])("of kind %s need no approval [30:5.1-1]", (kind) => {
    expect(contained(kind)).toBe(true);
  });

  it("of singularity share the network of the host, and need approval", () => {
    expect(contained("singularity")).toBe(false);
    expect(contained("singularity", { mode: "skip" })).toBe(true);
  });

  it.each(["local", "ssh", "unknown"])("do not include those of %s [30:5.1-1]", (kind) => {
    expect(contained(kind)).toBe(false);
    expect(contained(kind, { mode: "skip" })).toBe(false);
  });

  it.each([
    ["a folder of the host", { docker_volumes: ["/srv:/srv"] }],
    ["a folder of the host, read-only", { docker_volumes: ["~/data:/data:ro"] }],
    ["the container socket", { docker_volumes: ["cache:/c", "/var/run/docker.sock:/var/run/docker.sock"] }],
    ["the working directory", { docker_mount_cwd_to_workspace: true }],
    ["a credential file", { credential_files: ["google_token.json"] }],
    ["the host's network", { docker_network: "host" }],
  ])("need approval with %s inside [30:5.1-1] [30:W-09]", (_what, terminal) => {
    expect(contained("docker", { terminal })).toBe(false);
    expect(contained("docker", { terminal, mode: "skip" })).toBe(true);
  });

  it("need none with volumes of their own, and always with `check` [30:5.1-1]", () => {
    expect(contained("docker", { terminal: { docker_volumes: ["cache:/cache"] } })).toBe(true);
    expect(contained("docker", { mode: "check" })).toBe(false);
  });
});
