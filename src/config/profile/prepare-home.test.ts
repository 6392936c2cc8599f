import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HermesHome } from "#foundation/files/paths";
import { type Machine, thisMachine } from "#foundation/process/platform";
import { TempHome } from "../testing.ts";
import { prepareHome } from "./prepare-home.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;
/** A plain machine, wherever the suite itself runs. */
const machine = (env: NodeJS.ProcessEnv): Machine => ({ ...thisMachine(env), read: () => undefined });

describe("[20:R7.1] the home", () => {
  test("is created on first use", async () => {
    using temp = new TempHome();
    const home = new HermesHome(join(temp.folder, "new", "home"));
    expect(await prepareHome(home, temp.env)).toMatchObject({ wasCreated: true });
    expect(await prepareHome(home, temp.env)).toMatchObject({ wasCreated: false });
    expect(statSync(home.root).isDirectory()).toBe(true);
  });

  test("is its owner's alone, or as the person says", async () => {
    using temp = new TempHome();
    const first = new HermesHome(join(temp.folder, "a"));
    const second = new HermesHome(join(temp.folder, "b"));
    await prepareHome(first, temp.env, machine(temp.env));
    const wide = { ...temp.env, HERMES_HOME_MODE: "0750" };
    await prepareHome(second, wide, machine(wide));
    expect([modeOf(first.root), modeOf(second.root)]).toEqual([0o700, 0o750]);
  });

  test("has no credentials that others can read", async () => {
    using temp = new TempHome({ ".env": "A=1\n", "config.yaml": "model: x\n" });
    chmodSync(temp.home.envFile, 0o644);
    chmodSync(temp.home.config, 0o644);
    expect((await prepareHome(temp.home, temp.env, machine(temp.env))).tightened).toEqual([temp.home.envFile]);
    expect([temp.modeOf(".env"), temp.modeOf("config.yaml")]).toEqual([0o600, 0o644]);
  });

  test.each([{ HERMES_SKIP_CHMOD: "1" }, { HERMES_CONTAINER: "1" }, { HERMES_MANAGED: "nix" }])(
    "permissions stay with %j",
    async (more) => {
      using temp = new TempHome({ ".env": "A=1\n" });
      chmodSync(temp.home.envFile, 0o644);
      const env = { ...temp.env, ...more };
      expect((await prepareHome(temp.home, env, machine(env))).tightened).toEqual([]);
      expect(temp.modeOf(".env")).toBe(0o644);
    },
  );
});
