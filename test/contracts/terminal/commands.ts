import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Shared } from "./contract.ts";
import { output, run } from "./run.ts";

/** Exact output, exit codes, directories, variables, input. */
export function commandContract(shared: () => Shared): void {
  describe("commands", () => {
    it("prints exactly what the command prints [30:ENV-11]", async () => {
      expect(await run(shared().terminal, "printf exact")).toMatchObject({
        output: "exact",
        exitCode: 0,
        ended: "exited",
        omittedBytes: 0,
      });
    });

    it.each([
      ["nothing", "true", ""],
      ["a line break at the end", "echo a", "a\n"],
      ["line breaks only", "printf '\\n\\n'", "\n\n"],
      ["both outputs in order", "printf 1; printf 2 >&2; printf 3", "123"],
      ["quotes, dollars and backslashes", `printf '%s' 'it'\\''s "$HOME" \\ \`x\`'`, `it's "$HOME" \\ \`x\``],
      ["a here-document", "cat <<'X'\n$a `b`\nX", "$a `b`\n"],
      ["words like those between us and it", "printf 'hermes:0:E7\\nhermes-end' >&2", "hermes:0:E7\nhermes-end"],
    ])("prints %s as it is", async (_what, command, text) => {
      expect(await output(shared().terminal, command)).toBe(text);
    });

    it.each([0, 1, 7, 126, 127, 255])("hands on exit code %i", async (code) => {
      expect(await run(shared().terminal, `(exit ${code})`)).toMatchObject({ exitCode: code, ended: "exited" });
    });

    it("says 128 and the number for a command that a signal ended", async () => {
      expect((await run(shared().terminal, "bash -c 'kill -9 $$'")).exitCode).toBe(137);
    });

    it("joins a character that comes in two pieces [30:ENV-13]", async () => {
      const shown: string[] = [];
      const ran = await run(shared().terminal, "printf '\\303'; sleep 0.2; printf '\\251'", {
        onOutput: (text) => shown.push(text),
      });
      expect(ran.output).toBe("é");
      expect(shown.join("")).toBe("é");
    });

    it("shows bytes that are no text as replacement signs", async () => {
      expect(await output(shared().terminal, "printf 'a\\377b'")).toBe("a\uFFFDb");
    });

    it("shows output while the command still runs", async () => {
      const { terminal } = shared();
      let early = "";
      const ran = await run(terminal, "echo first; sleep 1; echo second", {
        onOutput: (text) => {
          early ||= text;
        },
      });
      expect(early).toBe("first\n");
      expect(ran.output).toBe("first\nsecond\n");
    });

    it("closes the input when none is given", async () => {
      expect(await run(shared().terminal, "cat; echo done")).toMatchObject({ output: "done\n", exitCode: 0 });
    });

    it("feeds 10 MB of input through unchanged [30:ENV-13]", async () => {
      const bytes = Buffer.alloc(10_000_000);
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 0xff;
      const sum = createHash("sha256").update(bytes).digest("hex");
      expect(await output(shared().terminal, "sha256sum", { stdin: bytes })).toBe(`${sum}  -\n`);
    });

    it("goes on when the command does not read its input", async () => {
      const stdin = "x".repeat(2_000_000);
      expect(await run(shared().terminal, "echo gone", { stdin })).toMatchObject({ output: "gone\n", exitCode: 0 });
    });

    it("keeps the first and the last part of 100 MB of output in bounded memory [30:ENV-14]", async () => {
      const before = process.memoryUsage().rss;
      const ran = await run(shared().terminal, "echo begin; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end");
      expect(ran.exitCode).toBe(0);
      expect(ran.output.startsWith("begin\nxxx")).toBe(true);
      expect(ran.output.endsWith("xxx\nend\n")).toBe(true);
      expect(ran.omittedBytes).toBeGreaterThan(94_000_000);
      expect(ran.output.length).toBeLessThan(6_000_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    });

    it("takes a command of 300 kB", async () => {
      const word = "w".repeat(300_000);
      expect(await output(shared().terminal, `x='${word}'; printf %s "\${#x}"`)).toBe("300000");
    });

    it("stays in the folder it went to [30:ENV-10]", async () => {
      const { terminal } = shared();
      const start = terminal.cwd;
      await run(terminal, "mkdir -p /tmp/here/deeper && cd /tmp/here/deeper");
      expect(terminal.cwd).toBe("/tmp/here/deeper");
      expect(await output(terminal, "pwd")).toBe("/tmp/here/deeper\n");
      await run(terminal, `cd '${start}'`);
      expect(terminal.cwd).toBe(start);
    });

    it.each([
      ["exit", "cd /tmp && exit 3", 3],
      ["set -e", "set -e; cd /tmp; false; echo not reached", 1],
      ["exec", "cd /tmp; exec true", 0],
    ])("knows the folder also after `%s` [30:ENV-12]", async (_what, command, code) => {
      const { terminal } = shared();
      const start = terminal.cwd;
      expect(await run(terminal, command)).toMatchObject({ exitCode: code, output: "" });
      expect(terminal.cwd).toBe("/tmp");
      expect(await output(terminal, `false; cd '${start}'; echo on`)).toBe("on\n");
    });

    it("uses a folder for one command only", async () => {
      const { terminal } = shared();
      const start = terminal.cwd;
      expect(await output(terminal, "pwd", { cwd: "/tmp" })).toBe("/tmp\n");
      expect(await output(terminal, "pwd", { cwd: "~" })).toBe(`${terminal.home}\n`);
      expect(terminal.cwd).toBe(start);
    });

    it("says 126 for a folder that cannot be entered [30:4.10]", async () => {
      expect(await run(shared().terminal, "echo never", { cwd: "/does/not/exist" })).toMatchObject({
        exitCode: 126,
        ended: "cwd-unreachable",
      });
    });

    it("keeps exported variables, changes and removals", async () => {
      const { terminal } = shared();
      await run(terminal, "export KEPT='a \"b\"\n$c'; NOT_EXPORTED=1");
      expect(await output(terminal, 'printf %s "$KEPT$NOT_EXPORTED"')).toBe('a "b"\n$c');
      await run(terminal, "export KEPT=2");
      expect(await output(terminal, 'printf %s "$KEPT"')).toBe("2");
      await run(terminal, "unset KEPT");
      expect(await output(terminal, "[ -v KEPT ] || printf gone")).toBe("gone");
    });

    it("keeps functions and aliases", async () => {
      const { terminal } = shared();
      await run(terminal, 'greet() { echo "hello $1"; }; alias shout="echo loud"');
      expect(await output(terminal, "greet you; shout")).toBe("hello you\nloud\n");
    });

    it("does not keep shell options that would break the next command", async () => {
      const { terminal } = shared();
      await run(terminal, "set -eu");
      expect(await output(terminal, 'false; printf "[%s]" "$NO_SUCH_VARIABLE"')).toBe("[]");
    });

    it("runs commands at the same time, each with its own output", async () => {
      const { terminal } = shared();
      const names = ["a", "b", "c", "d"];
      const ran = await Promise.all(
        names.map((name) => output(terminal, `for i in 1 2 3; do echo ${name}$i; sleep 0.05; done`)),
      );
      expect(ran).toEqual(names.map((name) => `${name}1\n${name}2\n${name}3\n`));
    });

    it("joins what commands at the same time export", async () => {
      const { terminal } = shared();
      await Promise.all(
        ["ONE", "TWO", "THREE"].map((name) => run(terminal, `export JOINED_${name}=${name}; sleep 0.2`)),
      );
      expect(await output(terminal, 'echo "$JOINED_ONE $JOINED_TWO $JOINED_THREE"')).toBe("ONE TWO THREE\n");
    });

    it("has a home and a folder for temporary files", async () => {
      const { terminal } = shared();
      expect(
        await output(terminal, `cd '${terminal.home}' && [ "$HOME" = '${terminal.home}' ] && echo home`, { cwd: "/" }),
      ).toBe("home\n");
      expect(await output(terminal, `touch '${terminal.tempDir}/t' && echo temp`)).toBe("temp\n");
      await run(terminal, `cd '${terminal.home}'`);
    });

    it("leaves no trace of its own in the environment of commands", async () => {
      expect(await output(shared().terminal, "env | grep -ic '^__hermes_[^r]'")).toBe("0\n");
    });
  });
}
