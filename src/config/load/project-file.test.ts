import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TempHome } from "../testing.ts";
import { formatWarning } from "../warning.ts";
import { credentialVariables } from "./environment/provider-variables.ts";
import { environmentVariables } from "./environment/table.ts";
import type { LoadOptions } from "./load.ts";

function projectIn(temp: TempHome, text: string): string {
  const project = join(temp.folder, "project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, ".env"), text);
  return project;
}

async function loadIn(temp: TempHome, project: string, options: Partial<LoadOptions> = {}) {
  const loaded = await temp.load({ cwd: project, ...options });
  return { ...loaded, said: loaded.warnings.map(formatWarning).join("\n") };
}

describe("the .env of a folder that is not trusted", () => {
  test("[20:R7.3] does not count, and that is said by name and never by value", async () => {
    using temp = new TempHome();
    const project = projectIn(
      temp,
      "OPENAI_API_KEY=sk-theirs\nFIRECRAWL_API_URL=http://evil.invalid\nDATABASE_URL=x\n",
    );
    const { environment, secrets, said } = await loadIn(temp, project);
    expect(environment.variables["OPENAI_API_KEY"]).toBeUndefined();
    expect(secrets.get("OPENAI_API_KEY")).toBeUndefined();
    expect(said).toContain("not trusted");
    expect(said).toContain("(OPENAI_API_KEY, FIRECRAWL_API_URL)");
    expect(said).toContain("hermes trust add");
    expect(said).not.toMatch(/sk-theirs|evil|DATABASE/);
  });

  test("is not mentioned while it says nothing that concerns Hermes", async () => {
    using temp = new TempHome();
    const project = projectIn(temp, "DATABASE_URL=postgres://x\nPORT=3000\nDEBUG=1\n");
    expect((await loadIn(temp, project)).warnings).toEqual([]);
  });

  test("cannot fill the screen with names of its own", async () => {
    using temp = new TempHome();
    const names = Array.from({ length: 40 }, (_, index) => `HERMES_${"X".repeat(200)}${index}=1`);
    const { said } = await loadIn(temp, projectIn(temp, names.join("\n")));
    expect(said).toContain("and 32 more");
    expect(said.length).toBeLessThan(900);
  });
});

describe("the .env of a trusted folder", () => {
  test("[20:R7.3] gives keys that nobody else gives", async () => {
    using temp = new TempHome({ ".env": "A_API_KEY=home\n" });
    const project = projectIn(temp, "A_API_KEY=project\nB_API_KEY=project\nC_API_KEY=project\nHF_TOKEN=project\n");
    const { environment, warnings } = await loadIn(temp, project, {
      env: { ...temp.env, B_API_KEY: "shell" },
      trusted: [project],
    });
    expect(environment.variables).toMatchObject({
      A_API_KEY: "home",
      B_API_KEY: "shell",
      C_API_KEY: "project",
      HF_TOKEN: "project",
    });
    expect([environment.originOf("A_API_KEY"), environment.originOf("C_API_KEY")]).toEqual([
      "home-file",
      "project-file",
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ["a program", "TIRITH_BIN"],
    ["a program", "COPILOT_CLI_PATH"],
    ["a program", "HERMES_DOCKER_BINARY"],
    ["an address", "OPENAI_BASE_URL"],
    ["an address", "FIRECRAWL_API_URL"],
    ["an address", "SEARXNG_URL"],
    ["an address", "BROWSER_CDP_URL"],
    ["an address", "TERMINAL_SSH_HOST"],
    ["a loader", "LD_PRELOAD"],
    ["a loader", "DYLD_INSERT_LIBRARIES"],
    ["an interpreter", "NODE_OPTIONS"],
    ["an interpreter", "PYTHONSTARTUP"],
    ["an interpreter", "PYTHON_API_KEY"],
    ["a shell", "BASH_ENV"],
    ["git", "GIT_SSH_COMMAND"],
    ["Hermes", "HERMES_YOLO_MODE"],
    ["Hermes", "HERMES_HOME"],
    ["Hermes", "HERMES_TRUSTED_FOLDERS"],
    ["a setting", "TELEGRAM_BOT_TOKEN"],
    ["a setting", "TELEGRAM_ALLOW_ALL_USERS"],
    ["a setting", "AUXILIARY_VISION_API_KEY"],
    ["a setting", "API_SERVER_KEY"],
    ["a setting", "SUDO_PASSWORD"],
    ["the gateway", "GATEWAY_PROXY_KEY"],
  ])("cannot choose for %s: %s", async (_what, name) => {
    using temp = new TempHome();
    const project = projectIn(temp, `${name}=hostile-value\nC_API_KEY=mine\n`);
    const { environment, said } = await loadIn(temp, project, { trusted: [project] });
    expect(environment.variables[name]).toBeUndefined();
    expect(environment.variables["C_API_KEY"]).toBe("mine");
    expect(said).toContain(`A project cannot set ${name};`);
    expect(said).not.toContain("hostile-value");
  });

  test.each([
    "HTTPS_PROXY",
    "PATH",
    "SOME_HOST",
    "SOME_ENDPOINT",
    "ENV",
    "PERL5OPT",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "x_api_key",
  ])("%s never reaches the run", async (name) => {
    using temp = new TempHome();
    const project = projectIn(temp, `${name}=hostile-value\n`);
    const { environment } = await loadIn(temp, project, { trusted: [project] });
    expect(environment.variables[name]).toBeUndefined();
  });

  test("of all that Hermes reads it can give credentials of services and nothing else", async () => {
    using temp = new TempHome();
    const project = projectIn(temp, environmentVariables.map(({ name }) => `${name}=hostile-value\n`).join(""));
    const { environment, config } = await loadIn(temp, project, { trusted: [project] });
    const taken = environmentVariables.filter(({ name }) => environment.variables[name] === "hostile-value");
    expect(taken.length).toBeGreaterThan(50);
    expect(taken.filter(({ name }) => !credentialVariables.includes(name))).toEqual([]);
    expect(taken.filter(({ name }) => /HERMES|GATEWAY|URL|PATH/.test(name)).map(({ name }) => name)).toEqual([
      "AI_GATEWAY_API_KEY",
    ]);
    expect(config).toEqual((await temp.load()).config);
  });

  test("a key with characters that no key has loses them", async () => {
    using temp = new TempHome();
    const project = projectIn(temp, "C_API_KEY=sk–1\n");
    const { environment, said } = await loadIn(temp, project, { trusted: [project] });
    expect(environment.variables["C_API_KEY"]).toBe("sk1");
    expect(said).toContain("U+2013");
  });
});

describe("a folder is trusted for a load", () => {
  const text = "C_API_KEY=project\n";
  const counts = async (temp: TempHome, project: string, options: Partial<LoadOptions> = {}) =>
    (await loadIn(temp, project, options)).environment.variables["C_API_KEY"] === "project";

  test("by the list in the home", async () => {
    using temp = new TempHome();
    const project = projectIn(temp, text);
    const folder = realpathSync(project);
    temp.write("trust.json", JSON.stringify({ folders: [{ folder, since: "2026-01-01T00:00:00.000Z" }] }));
    expect(await counts(temp, project)).toBe(true);
  });

  test("by a setting, a variable or an option that sets it", async () => {
    using temp = new TempHome({ "config.yaml": "security:\n  trusted_folders: [~/project]\n" });
    const project = projectIn(temp, text);
    expect(await counts(temp, project)).toBe(true);
    temp.write("config.yaml", "security:\n  trusted_folders: [project, ./]\n");
    expect(await counts(temp, project)).toBe(false);
    temp.write("config.yaml", "");
    expect(await counts(temp, project, { env: { ...temp.env, HERMES_TRUSTED_FOLDERS: temp.folder } })).toBe(true);
    const flags = [{ key: "security.trusted_folders", value: [project], flag: "settings" }];
    expect(await counts(temp, project, { flags })).toBe(true);
  });

  test("but not by anything in the folder itself", async () => {
    using temp = new TempHome();
    const project = projectIn(temp, `${text}HERMES_TRUSTED_FOLDERS=/\n`);
    writeFileSync(join(project, "trust.json"), JSON.stringify({ folders: [{ folder: project, since: "now" }] }));
    writeFileSync(join(project, "config.yaml"), "security:\n  trusted_folders: [/]\n");
    expect(await counts(temp, project)).toBe(false);
  });

  test("the home's own .env is no project's", async () => {
    using temp = new TempHome({ ".env": "HERMES_TIMEZONE=UTC\n" });
    const linked = join(temp.folder, "linked");
    symlinkSync(temp.home.root, linked);
    for (const cwd of [temp.home.root, linked]) {
      const { config, warnings } = await loadIn(temp, cwd);
      expect([config.timezone, warnings]).toEqual(["UTC", []]);
    }
  });
});
