import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, temporaryHome } from "../testing.ts";

let location: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  location = temporaryHome();
  mkdirSync(path.join(location.home, "profiles", "coder"), { recursive: true });
});
afterEach(() => location.remove());

const words = async (...line: string[]) => {
  const { stdout } = await runCli(["__complete", ...line], { home: location.home });
  return stdout
    .split("\n")
    .filter((one) => one !== "")
    .map((one) => one.split("\t")[0]);
};

describe("completion", () => {
  it("offers commands, subcommands and options from the tree [20:R11.22]", async () => {
    expect(await words("se")).toEqual(["setup", "sessions"]);
    expect(await words("sessions", "re")).toEqual(["rename"]);
    expect(await words("sessions", "prune", "--ol")).toEqual(["--older-than"]);
    expect(await words("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await words("setup", "t")).toEqual(["tts", "terminal", "tools"]);
  });

  it("offers names that exist only now: profiles, providers, settings, files [20:A8.13][20:R11.22]", async () => {
    expect(await words("profile", "use", "")).toEqual(["default", "coder"]);
    expect(await words("-p", "")).toEqual(["default", "coder"]);
    expect(await words("auth", "add", "openr")).toEqual(["openrouter"]);
    expect(await words("config", "set", "display.stre")).toEqual(["display.streaming"]);
    const { stdout } = await runCli(["__complete", "config", "get", "model.provider"], { home: location.home });
    expect(stdout).toBe("model.provider\tProvider ID. `auto` picks one from the credentials it finds.\n");
    expect(await words("import", "")).toEqual([":files"]);
    expect(await words("mcp", "test", "")).toEqual([]);
  });

  it("has nothing to say to nonsense, and does not fail [20:R11.22]", async () => {
    expect(await words("frobnicate", "x")).toEqual([]);
    expect(await words("-p", "nosuch", "mcp", "test", "")).toEqual([]);
    expect(await words()).not.toEqual([]);
  });

  it.each(["bash", "zsh", "fish"])("prints a script for %s that asks the program [20:A8.13]", async (shell) => {
    const { stdout, code } = await runCli(["completion", shell], { home: location.home });
    expect(code).toBe(0);
    expect(stdout).toContain("__complete");
  });

  it("refuses a shell it does not know [20:R8.2]", async () => {
    expect(await runCli(["completion", "tcsh"], { home: location.home })).toMatchObject({ code: 2 });
  });
});
