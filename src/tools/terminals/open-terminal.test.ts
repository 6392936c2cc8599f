import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { testScope } from "../testing.ts";
import { Guardian } from "./guardian.ts";
import { localOpener, readTerminalKind, terminalAvailability } from "./open-terminal.ts";
import { noWall } from "./testing.ts";

const signal = new AbortController().signal;
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "hermes-opener-")));
  await mkdir(path.join(folder, "hermes/home"), { recursive: true });
  await mkdir(path.join(folder, "app"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("opening terminals", () => {
  it("[30:ENV-01] knows six kinds and names them when a setting is wrong", () => {
    expect(readTerminalKind(" Docker ")).toBe("docker");
    expect(readTerminalKind("podman")).toBeUndefined();
    expect(terminalAvailability("podman", {})).toEqual({
      reason: 'terminal.backend is "podman"; it can be local, docker, ssh, singularity, modal, daytona',
    });
    expect(terminalAvailability("ssh", {})).toMatchObject({ reason: expect.stringContaining("ssh") });
    expect(terminalAvailability("local", { local: () => Promise.reject(new Error("not asked")) })).toBe(true);
  });

  it("[30:4.4] [30:ENV-21] starts where the task says, with the home of the profile and the guardian's mark", async () => {
    await using guardian = new Guardian(memoryLogger());
    const open = localOpener({
      env: { PATH: process.env["PATH"], HOME: "/nowhere", TMPDIR: folder },
      environment: { policy: "inherit" },
      hermesHome: path.join(folder, "hermes"),
      logger: memoryLogger(),
      guardian,
      wall: () => Promise.resolve(noWall),
    });
    const scope = testScope({ cwd: path.join(folder, "app") });
    await using terminal = await open({ taskId: "t", scope }, signal);
    const { output } = await terminal.exec('pwd; echo $HOME; [ -n "$HERMES_GUARDIAN" ] && echo marked', {
      timeoutMs: 5_000,
      signal,
    });
    expect(output).toBe(`${folder}/app\n${folder}/hermes/home\nmarked\n`);
    expect(terminal.home).toBe(path.join(folder, "hermes/home"));
  });
});
