import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { HermesHome, isProfileName } from "./paths.ts";

let user: string;
let top: string;

beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), "hermes-paths-"));
  top = join(user, ".hermes");
  mkdirSync(join(top, "profiles", "work"), { recursive: true });
});

afterEach(() => rmSync(user, { recursive: true, force: true }));

describe("which home", () => {
  test("[20:R7.1] without settings it is ~/.hermes", () => {
    expect(HermesHome.resolve({ HOME: user }).root).toBe(top);
    expect(HermesHome.resolve({ HOME: user, HERMES_HOME: " " }).root).toBe(top);
  });

  test("[20:R7.1] HERMES_HOME names it, also with a tilde", () => {
    expect(HermesHome.resolve({ HOME: user, HERMES_HOME: "/data" }).root).toBe("/data");
    expect(HermesHome.resolve({ HOME: user, HERMES_HOME: "~/other" }).root).toBe(join(user, "other"));
  });

  test("it is resolved anew on every call", () => {
    const env: NodeJS.ProcessEnv = { HOME: user };
    expect(HermesHome.resolve(env).root).toBe(top);
    env.HERMES_HOME = "/elsewhere";
    expect(HermesHome.resolve(env).root).toBe("/elsewhere");
  });

  test("[20:R7.19] a named profile comes before HERMES_HOME, that before the sticky choice", () => {
    writeFileSync(join(top, "active_profile"), "work\n");
    expect(HermesHome.resolve({ HOME: user }).root).toBe(join(top, "profiles", "work"));
    expect(HermesHome.resolve({ HOME: user, HERMES_HOME: top }).root).toBe(top);
    expect(HermesHome.resolve({ HOME: user }, "default").root).toBe(top);
    expect(HermesHome.resolve({ HOME: user, HERMES_HOME: top }, "work").root).toBe(join(top, "profiles", "work"));
  });

  test("[20:R7.19] an unknown or impossible profile is an error with exit code 1", () => {
    for (const name of ["missing", "../work", "Work", "tmp", ""]) {
      let error: unknown;
      try {
        HermesHome.resolve({ HOME: user }, name);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(UserError);
      expect((error as UserError).exitCode).toBe(1);
    }
  });

  test.each(["", "missing", "../../etc", "WORK", "\u0000\u0001", "x".repeat(5_000)])(
    "[20:R7.19] a corrupt sticky choice (%j) is ignored",
    (content) => {
      writeFileSync(join(top, "active_profile"), content);
      expect(HermesHome.resolve({ HOME: user }).root).toBe(top);
    },
  );

  test("[20:R7.19] a sticky choice that cannot be read is ignored", () => {
    mkdirSync(join(top, "active_profile"));
    expect(HermesHome.resolve({ HOME: user }).root).toBe(top);
  });
});

describe("which root holds the profiles", () => {
  test("[20:R7.22] a home outside ~/.hermes is the root itself", () => {
    const other = join(user, "volume");
    mkdirSync(join(other, "profiles", "bot"), { recursive: true });
    const home = HermesHome.resolve({ HOME: user, HERMES_HOME: other }, "bot");
    expect(home.root).toBe(join(other, "profiles", "bot"));
    expect(home.installRoot).toBe(other);
  });

  test("[20:R7.22] a home outside that is itself a profile belongs to the root two levels up", () => {
    const other = join(user, "volume");
    mkdirSync(join(other, "profiles", "bot"), { recursive: true });
    const env = { HOME: user, HERMES_HOME: join(other, "profiles", "bot") };
    expect(HermesHome.resolve(env).profileName).toBe("bot");
    expect(HermesHome.resolve(env, "default").root).toBe(other);
  });

  test("[20:R7.22] a profile below ~/.hermes belongs to ~/.hermes", () => {
    const env = { HOME: user, HERMES_HOME: join(top, "profiles", "work") };
    const home = HermesHome.resolve(env);
    expect([home.profileName, home.installRoot]).toEqual(["work", top]);
    expect(HermesHome.installRootOf(env).root).toBe(top);
  });
});

describe("paths of a home", () => {
  test("[20:7.1] what Hermes reads and writes lies where an existing home has it", () => {
    const home = new HermesHome("/h");
    expect({
      a: [home.config, home.envFile, home.authFile, home.authLock, home.stateDb, home.soul],
      b: [home.skills, home.plugins, home.hooks, home.cronJobs, home.cronOutput],
      c: [home.agentLog, home.errorsLog, home.gatewayLog, home.gatewayPid, home.gatewayState, home.processes],
      d: [home.pairing, home.profiles, home.activeProfile, home.skins],
      e: [
        home.checkpoints,
        home.stateSnapshots,
        home.imageCache,
        home.audioCache,
        home.documentCache,
        home.screenshotCache,
      ],
      f: [home.modelsDevCache, home.contextLengthCache, home.nousRateLimit],
      g: [home.googleOauth, home.anthropicOauth, home.mcpTokens, home.pastes, home.images, home.inputHistory],
      h: [home.sandboxes, home.subprocessHome, home.workspace, home.plans, home.scripts, home.bin],
      i: [home.shellHooksAllowlist, home.managedMarker, home.updateCheck],
    }).toEqual({
      a: ["/h/config.yaml", "/h/.env", "/h/auth.json", "/h/auth.lock", "/h/state.db", "/h/SOUL.md"],
      b: ["/h/skills", "/h/plugins", "/h/hooks", "/h/cron/jobs.json", "/h/cron/output"],
      c: [
        "/h/logs/agent.log",
        "/h/logs/errors.log",
        "/h/logs/gateway.log",
        "/h/gateway.pid",
        "/h/gateway_state.json",
        "/h/processes.json",
      ],
      d: ["/h/platforms/pairing", "/h/profiles", "/h/active_profile", "/h/skins"],
      e: [
        "/h/checkpoints",
        "/h/state-snapshots",
        "/h/cache/images",
        "/h/cache/audio",
        "/h/cache/documents",
        "/h/cache/screenshots",
      ],
      f: ["/h/models_dev_cache.json", "/h/context_length_cache.yaml", "/h/rate_limits/nous.json"],
      g: [
        "/h/auth/google_oauth.json",
        "/h/.anthropic_oauth.json",
        "/h/mcp-tokens",
        "/h/pastes",
        "/h/images",
        "/h/.hermes_history",
      ],
      h: ["/h/sandboxes", "/h/home", "/h/workspace", "/h/plans", "/h/scripts", "/h/bin"],
      i: ["/h/shell-hooks-allowlist.json", "/h/.managed", "/h/.update_check"],
    });
  });

  test("[20:R7.18] everything but the list of profiles and the sticky choice lies inside the profile", () => {
    const home = new HermesHome(top).profile("work");
    const shared = ["profiles", "activeProfile", "installRoot", "profileName"];
    const getters = Object.entries(Object.getOwnPropertyDescriptors(HermesHome.prototype)).filter(
      ([name, property]) => property.get !== undefined && !shared.includes(name),
    );
    expect(getters.length).toBeGreaterThan(50);
    for (const [name] of getters) expect(home[name as "config"]).toMatch(new RegExp(`^${home.root}/`));
    expect(home.activeProfile).toBe(join(top, "active_profile"));
  });

  test("[20:7.1] folders of earlier versions stay in use where they exist", () => {
    for (const name of ["image_cache", "audio_cache", "document_cache", "pairing"]) mkdirSync(join(top, name));
    const home = new HermesHome(top);
    expect([home.imageCache, home.audioCache, home.documentCache, home.pairing]).toEqual(
      ["image_cache", "audio_cache", "document_cache", "pairing"].map((name) => join(top, name)),
    );
  });
});

test("[20:R7.19] profile names are short, lower-case and not reserved", () => {
  for (const name of ["a", "work", "0-x_y", "a".repeat(64)]) expect(isProfileName(name)).toBe(true);
  for (const name of [
    "",
    "A",
    "-a",
    "_a",
    "a b",
    "a/b",
    "..",
    "ä",
    "a".repeat(65),
    "default",
    "hermes",
    "test",
    "tmp",
    "root",
    "sudo",
  ]) {
    expect(isProfileName(name)).toBe(false);
  }
});
