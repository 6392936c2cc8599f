import { describe, expect, it } from "vitest";
import { mayDestroy } from "./call-watchers.ts";

describe("a snapshot is taken before", () => {
  it.each([
    "rm -r build",
    "cd src && mv a b",
    "sudo cp a b",
    "FORCE=1 rm x",
    "if true; then rm x; fi",
    "find . | xargs rm -f",
    "sed -i s/a/b/ file",
    "sed -n -i.bak s/a/b/ file",
    "git reset --hard",
    "git -C sub checkout .",
    "echo x > file",
    "make >log.txt",
    "dd if=a of=b",
  ])("%s [30:8.4]", (command) => {
    expect(mayDestroy(command)).toBe(true);
  });
});

describe("no snapshot is taken before", () => {
  it.each([
    "ls -l",
    "grep rm notes.txt",
    "echo x >> file",
    "make >/dev/null",
    "make 2>&1",
    "git status",
    "sed s/a/b/ file",
    "perform a b",
    "node -e '() => 1'",
  ])("%s [30:8.4]", (command) => {
    expect(mayDestroy(command)).toBe(false);
  });
});
