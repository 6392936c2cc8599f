import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "#foundation/errors";
import type { Command } from "./command.ts";
import { firstWord, parseLine } from "./parse.ts";

const tree: Command = {
  name: "hermes",
  about: "",
  flags: [
    { name: "model", short: "m", kind: "text", about: "" },
    { name: "continue", short: "c", kind: "optional-text", about: "" },
    { name: "skills", short: "s", kind: "list", about: "" },
    { name: "quiet", short: "Q", kind: "switch", about: "" },
    { name: "verbose", short: "v", kind: "switch", about: "" },
  ],
  commands: [
    {
      name: "config",
      about: "",
      commands: [
        {
          name: "set",
          about: "",
          args: [{ name: "key" }, { name: "value", isRest: true }],
          flags: [{ name: "force", kind: "switch", about: "" }],
        },
        { name: "show", about: "", args: [{ name: "part", isOptional: true, choices: ["all", "some"] }] },
      ],
    },
    { name: "logs", about: "", aliases: ["log"], flags: [{ name: "lines", short: "n", kind: "text", about: "" }] },
  ],
};

const parse = (...argv: readonly string[]) => {
  const { path, flags, args } = parseLine(tree, argv);
  return { command: path.map((one) => one.name).join(" "), flags, args };
};

const mistake = (...argv: readonly string[]): UserError => {
  try {
    parseLine(tree, argv);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("the line was accepted");
};

describe("a line of words", () => {
  it("is a path of commands, options and arguments [20:R8.1]", () => {
    expect(parse("config", "set", "a.b", "one", "two", "--force")).toEqual({
      command: "hermes config set",
      flags: { force: true },
      args: ["a.b", "one", "two"],
    });
  });

  it("takes options of every command anywhere, also behind arguments [20:R8.1][20:R7.19]", () => {
    expect(parse("config", "-p", "coder", "show").flags).toEqual({ profile: "coder" });
    expect(parse("config", "show", "--profile=coder", "--json").flags).toEqual({ profile: "coder", json: true });
    expect(parse("-p", "coder", "config", "show").command).toBe("hermes config show");
  });

  it("reads values attached, joined with = and following", () => {
    for (const argv of [["-n", "5"], ["-n5"], ["-n=5"], ["--lines", "5"], ["--lines=5"]])
      expect(parse("logs", ...argv).flags).toEqual({ lines: "5" });
    expect(parse("logs", "--lines=").flags).toEqual({ lines: "" });
  });

  it("reads switches together, lists over and over, and an optional value only when it is none of ours", () => {
    expect(parse("-Qv").flags).toEqual({ quiet: true, verbose: true });
    expect(parse("-s", "a,b", "-s", "c").flags).toEqual({ skills: ["a", "b", "c"] });
    expect(parse("-c").flags).toEqual({ continue: true });
    expect(parse("-c", "my project").flags).toEqual({ continue: "my project" });
    expect(parse("-c", "-Q").flags).toEqual({ continue: true, quiet: true });
  });

  it("leaves what follows -- alone, and - and negative numbers are arguments", () => {
    expect(parse("config", "set", "--", "--force", "-x").args).toEqual(["--force", "-x"]);
    expect(parse("config", "set", "key", "-").args).toEqual(["key", "-"]);
    expect(parse("config", "set", "key", "-5").args).toEqual(["key", "-5"]);
  });

  it("knows a command by its other name", () => {
    expect(parse("log").command).toBe("hermes logs");
  });

  it.each([
    [["confg"], "Did you mean config?"],
    [["config", "sett"], "Did you mean set?"],
    [["logs", "--line", "3"], "Did you mean --lines?"],
    [["config", "show", "smoe"], "Did you mean some?"],
    [["config", "set", "key"], "needs <value...>"],
    [["config", "show", "all", "more"], '"more"'],
    [["logs", "--lines"], "needs a value"],
    [["logs", "--lines", "--json"], "needs a value"],
    [["--quiet=yes"], "takes no value"],
    [["-m", "x", "logs"], "--model"],
  ])("says what is wrong with %j and leaves with 2 [20:R8.2]", (argv, said) => {
    const error = mistake(...argv);
    expect(error.message).toContain(said);
    expect(error.exitCode).toBe(2);
    expect(error.hint).toBeDefined();
  });

  it("begins with the first word that is no option and no value of one", () => {
    const flags = tree.flags ?? [];
    expect(firstWord(["-m", "x", "logs"], flags)).toBe("logs");
    expect(firstWord(["-c", "my project"], flags)).toBeUndefined();
    expect(firstWord(["-c", "-Q", "logs"], flags)).toBe("logs");
    expect(firstWord(["--model=x", "--unknown"], flags)).toBeUndefined();
    expect(firstWord(["--", "config"], flags)).toBe("config");
  });

  it("is lenient when help is asked for", () => {
    expect(parse("config", "set", "--help").flags).toMatchObject({ help: true });
    expect(parse("logs", "--nonsense", "-h").command).toBe("hermes logs");
  });

  it("either parses or is a usage error, whatever is typed", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "config",
        "set",
        "show",
        "logs",
        "--",
        "-",
        "-p",
        "--profile",
        "--json",
        "-n",
        "-Q",
        "--help",
        "--force",
      ),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
        try {
          const line = parseLine(tree, argv);
          return line.path.length > 0;
        } catch (error) {
          return error instanceof UserError && error.exitCode === 2;
        }
      }),
    );
  });
});
