import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandCategories } from "./command.ts";
import { builtinCommands } from "./index.ts";
import { type CommandCatalog, isAvailable, namesOf, resolveCommand } from "./registry.ts";

function catalog(changes: Partial<CommandCatalog> = {}): CommandCatalog {
  return {
    builtins: builtinCommands,
    quick: {},
    plugins: [],
    skills: [],
    surface: "cli",
    openGates: new Set(),
    ...changes,
  };
}

function named(line: string, changes: Partial<CommandCatalog> = {}): string {
  const found = resolveCommand(line, catalog(changes));
  return found.kind === "builtin" ? `${found.def.name} ${found.args}`.trim() : found.kind;
}

describe("the list of commands", () => {
  it("has no name twice, and every command a category and a time to run [20:A9.10] [20:R9.1] [20:R9.7]", () => {
    const names = builtinCommands.flatMap(namesOf);
    expect(names).toEqual([...new Set(names)]);
    for (const command of builtinCommands) {
      for (const name of namesOf(command)) expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
      expect(command.cliOnly === true && command.gatewayOnly === true).toBe(false);
      expect(commandCategories).toContain(command.category);
      expect(["now", "busy", "next"]).toContain(command.whileRunning);
      expect(command.description).not.toBe("");
    }
    expect(named("/q hello")).toBe("queue hello");
  });

  it("has the commands that need no gateway", () => {
    const wanted =
      "new clear history save retry continue undo rewind plan title branch compress rollback snapshot export stop background agents queue steer status resume " +
      "config settings model connect personality statusbar verbose yolo permissions reasoning fast skin busy details tools toolsets skills memory reload mcp reload-mcp " +
      "cron plugins help usage context insights version profile copy paste image debug logs sessions quit approve deny commands";
    expect(builtinCommands.map((command) => command.name).sort()).toEqual(wanted.split(" ").sort());
  });
});

describe("a typed line", () => {
  it("is found whatever its case, by its beginning, and keeps the case of its arguments [20:A9.1] [20:R9.3]", () => {
    expect(named("/HELP")).toBe("help");
    expect(named("/mod")).toBe("model");
    expect(named("/Title My Words")).toBe("title My Words");
    const skills = [{ slug: "quint-pipeline", description: "" }];
    expect(named("/qui", { skills })).toBe("quit");
    expect(resolveCommand("/quin x", catalog({ skills }))).toEqual({
      kind: "skill",
      slug: "quint-pipeline",
      args: "x",
    });
  });

  it("that may mean several commands runs none of them [20:A9.2] [20:R9.5]", () => {
    const found = resolveCommand("/re", catalog());
    expect(found).toMatchObject({ kind: "ambiguous" });
    expect(found.kind === "ambiguous" && found.candidates).toContain("retry");
  });

  it("that begins with a path is words for the model [20:A9.3] [20:R9.3]", () => {
    expect(resolveCommand("/Users/me/a.md explain", catalog())).toEqual({
      kind: "text",
      text: "/Users/me/a.md explain",
    });
    expect(resolveCommand("what does /help do", catalog()).kind).toBe("text");
  });

  it("that is close to a command is answered with it [20:R9.5]", () => {
    expect(resolveCommand("/modle", catalog())).toEqual({ kind: "unknown", name: "modle", suggestion: "model" });
    expect(resolveCommand("/xyzzyxyzzy", catalog())).toEqual({ kind: "unknown", name: "xyzzyxyzzy" });
    expect(resolveCommand("/", catalog())).toEqual({ kind: "unknown", name: "" });
  });

  it("finds built-in before quick, quick before plugin, plugin before skill [20:R9.4]", () => {
    const plugin = { name: "deploy", description: "", handler: () => null };
    const quick = { help: "never", deploy: "Deploy it", d: { type: "exec" as const, command: "df" } };
    const skills = [
      { slug: "deploy", description: "" },
      { slug: "lint", description: "" },
    ];
    const all = { quick, plugins: [plugin, { ...plugin, name: "lint" }], skills };
    expect(named("/help", all)).toBe("help");
    expect(resolveCommand("/deploy now", catalog(all))).toMatchObject({ kind: "quick", name: "deploy", args: "now" });
    expect(resolveCommand("/lint", catalog(all)).kind).toBe("plugin");
    expect(resolveCommand("/lint", catalog({ skills })).kind).toBe("skill");
    expect(resolveCommand("/d", catalog(all))).toMatchObject({ kind: "quick", name: "d" });
  });

  it("in a chat calls only what chats have; a gate opens one more [20:A9.8] [20:R9.6]", () => {
    const chat = { surface: "gateway" as const };
    expect(resolveCommand("/verbose", catalog(chat)).kind).toBe("unavailable");
    expect(named("/verbose", { ...chat, openGates: new Set(["display.tool_progress_command"]) })).toBe("verbose");
    expect(resolveCommand("/quit", catalog(chat)).kind).toBe("unavailable");
    expect(named("/approve always", chat)).toBe("approve always");
    expect(resolveCommand("/approve", catalog()).kind).toBe("unavailable");
  });

  it("always means one thing, and that thing is available [20:R9.11]", () => {
    const slug = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);
    const line = fc.oneof(
      fc.string(),
      fc.string().map((text) => `/${text}`),
      fc.constantFrom(...builtinCommands.flatMap(namesOf)).map((name) => `/${name.slice(0, 3)} x`),
    );
    const surface = fc.constantFrom("cli" as const, "gateway" as const);
    fc.assert(
      fc.property(line, fc.array(slug, { maxLength: 4 }), surface, (typed, slugs, where) => {
        const all = catalog({ surface: where, skills: slugs.map((one) => ({ slug: one, description: "" })) });
        const found = resolveCommand(typed, all);
        expect(resolveCommand(typed, all)).toEqual(found);
        if (found.kind === "builtin") {
          expect(isAvailable(found.def, all)).toBe(true);
          expect(typed.toLowerCase()).toContain(found.args.toLowerCase());
        }
        if (found.kind === "text") expect(found.text).toBe(typed);
        if (found.kind === "ambiguous") expect(new Set(found.candidates).size).toBeGreaterThan(1);
        if (!typed.trimStart().startsWith("/")) expect(found.kind).toBe("text");
      }),
      { numRuns: 500 },
    );
  });

  it("that spells a name in full always calls that command", () => {
    for (const command of builtinCommands)
      for (const name of namesOf(command)) {
        const surface = command.gatewayOnly === true ? ("gateway" as const) : ("cli" as const);
        expect(named(`/${name.toUpperCase()} A b`, { surface })).toBe(`${command.name} A b`);
      }
  });
});
