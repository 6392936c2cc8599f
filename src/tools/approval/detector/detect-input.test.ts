import { describe, expect, it } from "vitest";
import { detectInput } from "./detect-input.ts";

const location = {
  cwd: "/home/me/work",
  home: "/home/me",
  hermesHome: "/home/me/.hermes",
  tempDirs: ["/tmp"],
  workspace: "/home/me/work",
};
const keysOf = (program: string, text: string): readonly string[] => {
  const { hardline, findings } = detectInput(text, { program, location });
  return hardline === undefined ? findings.map((one) => one.key) : [hardline.key];
};

describe("input for a running program", () => {
  it.each([
    ["bash", "rm -rf src\n", ["recursive delete"]],
    ["bash -i", "rm -rf /\n", ["recursive delete of root filesystem"]],
    ["ssh host.example", "sudo reboot\n", ["system shutdown/reboot"]],
    ["docker exec -it web bash", "rm -r /data\n", ["delete in root path"]],
    ["bash", "ls -la\n", []],
    ["bash", "ec", ["unknown command", "input for a running program"]],
    ["python3", "print(1)\n", ["input for a running program"]],
    ["node", "require('fs').rmSync('a')\n", ["input for a running program", "code with effects outside itself"]],
    ["psql app", "DROP TABLE users;\n", ["SQL DROP"]],
    ["psql app", "select 1;\n", []],
    ["sqlite3 a.db", ".shell id\n", ["option that runs a program"]],
    ["vim a.txt", "\u001b:!id\n", ["input for a running program"]],
    ["npm init", "y\n", []],
    ["python3 ask.py", "my answer\n", []],
    ["bash install.sh", "rm -rf src\n", []],
  ])("%j gets %j: %j", (program, text, keys) => expect(keysOf(program, text)).toEqual(keys));
});
