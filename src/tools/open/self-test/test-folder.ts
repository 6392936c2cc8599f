import { tmpdir } from "node:os";
import { testWall, type WallLine } from "../../confinement/self-test/self-test.ts";
import type { Walls } from "../../confinement/walls.ts";
import { denyAll } from "../../contract/unattended-scope.ts";
import { childEnvironment } from "../../terminals/environment-variables.ts";
import { blockedVariables } from "../open-terminals.ts";
import type { Toolbox } from "../toolbox.ts";
import type { ToolsBase } from "../tools-base.ts";
import { type MoreDoors, tryDoors } from "./wall-doors.ts";

/** The wall of a session in a folder: each of its promises by itself, then all of them through each door. */
export async function testFolder(
  toolbox: Toolbox,
  {
    folder,
    more,
    base,
    walls,
  }: { readonly folder: string; readonly more: MoreDoors; readonly base: ToolsBase; readonly walls: Walls },
  signal: AbortSignal,
): Promise<readonly WallLine[]> {
  const env = childEnvironment(base.env, {
    policy: "inherit",
    passthrough: base.config.terminal.env_passthrough,
    blocked: blockedVariables(base.machine.loaded),
  });
  const owner = { key: "wall test", cwd: folder, userId: undefined, approver: denyAll };
  await using wall = await walls.forProgram(owner, { writable: [], revealed: [], hosts: [], ports: [] }, signal);
  const lines = await testWall(wall, { env, tempDir: tmpdir() }, signal);
  return [...lines, ...(await tryDoors(folder, { tools: toolbox, walls, more }, signal))];
}
