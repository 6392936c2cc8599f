import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryStage } from "./testing.ts";

const root = join(import.meta.dirname, "../../..");

/** Adds its entries all at once; starts when it is told to, so that both processes really meet. */
const program = `
import { Notes } from "./src/agent/memory/notes.ts";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
const [folder, name, count] = process.argv.slice(1);
const notes = new Notes({ folder, settings: { memory: { isEnabled: true, limit: 2_200 }, user: { isEnabled: true, limit: 1_375 } }, clock: systemClock });
process.stdout.write("ready");
process.stdin.once("data", async () => {
  const wanted = Array.from({ length: Number(count) }, (_, i) => name + " " + i);
  await Promise.all(wanted.map((content) => notes.change("memory", { action: "add", content }, never)));
  process.exit(0);
});
`;

describe("two processes that add to one file at once", () => {
  it("both find their entries there [10:A6.7] [10:MEM-4]", async () => {
    await using stage = await memoryStage();
    const start = async (name: string) => {
      const args = [
        "--conditions=hermes-source",
        "--import",
        "tsx",
        "--input-type=module",
        "-e",
        program,
        stage.folder,
        name,
        "25",
      ];
      const child = spawn(process.execPath, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
      await once(child.stdout, "data");
      return child;
    };
    const children = await Promise.all([start("left"), start("right")]);
    const ends = children.map((child) => once(child, "exit"));
    for (const child of children) child.stdin.end("go");
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0]);
    const entries = await stage.notes.read("memory");
    const wanted = ["left", "right"].flatMap((name) => Array.from({ length: 25 }, (_, index) => `${name} ${index}`));
    expect([...entries].sort()).toEqual(wanted.sort());
  });
});
