import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { TempHome } from "../testing.ts";

test.skipIf(process.platform === "win32")(
  "[20:R7.8] a pipe in place of the file does not hold up the program",
  async () => {
    using temp = new TempHome();
    execFileSync("mkfifo", [temp.home.config, temp.home.envFile]);
    const { warnings, readFrom } = await temp.load();
    expect(readFrom).toBe("defaults");
    expect(warnings.map(({ kind }) => kind).sort()).toEqual(["secret-file", "unreadable"]);
  },
);
