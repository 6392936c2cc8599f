import { describe, expect, it } from "vitest";
import { isReadOnlyCommand } from "./read-only-command.ts";

const location = { cwd: "/work", home: "/home/nobody" };

describe("known to change nothing", () => {
  it.each([
    "ls -la",
    "cat a b | grep -n x | head -5",
    "cd src && ls; pwd",
    "rg 'a > b' src",
    "find . -name '*.ts' -type f",
    "git status",
    "git -C sub --no-pager log --oneline -5",
    "git diff HEAD~1 -- a.ts",
    "grep -rn rm . 2>/dev/null",
    "ls 2>&1",
    "sort -u names",
  ])("%s [30:8.4]", (command) => {
    expect(isReadOnlyCommand(command, location)).toBe(true);
  });
});

describe("not known to change nothing", () => {
  it.each([
    "rm -rf x",
    "ls; rm x",
    "ls > out",
    "ls >> out",
    "cat a | tee b",
    "cat $(rm -rf x)",
    "diff <(rm x) b",
    "echo `rm x`",
    "find . -delete",
    "find . -name x -exec rm {} +",
    "find . $WHAT",
    "sort -o a a",
    "sort --output=a a",
    "rg --pre ./x y",
    "git checkout .",
    "git diff --output=x",
    "git -c core.pager=./x log",
    "git grep -O./x y",
    "git branch -D main",
    "PATH=. ls",
    "PATH=.; ls",
    "ls() { unlink x; }; ls",
    "alias ls=unlink",
    "sudo ls",
    "$CMD",
    "./ls",
    "npm test",
    "sed -i s/a/b/ x",
    "sed 'w x' a",
    "awk '{print > \"x\"}' a",
    "xargs rm < names",
    "while true; do mv a b; done",
    "",
    "ls 'unclosed",
  ])("%s [30:8.4]", (command) => {
    expect(isReadOnlyCommand(command, location)).toBe(false);
  });
});
