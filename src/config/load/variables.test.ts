import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { removeSecrets, writeSecret } from "../edit/secrets.ts";
import { TempHome } from "../testing.ts";
import { SecretStore } from "./secret-store.ts";
import { loadEnvironment } from "./variables.ts";

const load = (temp: TempHome, env: NodeJS.ProcessEnv = {}) =>
  loadEnvironment({ home: temp.home, env: { ...temp.env, ...env } });

describe("variables", () => {
  test("[20:A7.5] the home's .env beats the shell", async () => {
    using temp = new TempHome({ ".env": "A_API_KEY=1\n" });
    const environment = await load(temp, { A_API_KEY: "2", B: "3" });
    expect(environment.variables).toMatchObject({ A_API_KEY: "1", B: "3" });
    expect([environment.originOf("A_API_KEY"), environment.originOf("B")]).toEqual(["home-file", "shell"]);
  });

  test("[20:R7.17] the environment that was given is not changed", async () => {
    using temp = new TempHome({ ".env": "A_API_KEY=1\n" });
    const env = { A_API_KEY: "2" };
    await load(temp, env);
    expect(env).toEqual({ A_API_KEY: "2" });
    expect(process.env.A_API_KEY).toBeUndefined();
  });

  test("[20:A7.6] run-together lines work and are repaired on the disk", async () => {
    using temp = new TempHome({ ".env": "# keys\nANTHROPIC_API_KEY=sk-xOPENAI_API_KEY=sk-y\nC=3\n" });
    const environment = await load(temp);
    const secrets = new SecretStore(environment);
    expect(secrets.get("ANTHROPIC_API_KEY")?.reveal()).toBe("sk-x");
    expect(secrets.get("OPENAI_API_KEY")?.reveal()).toBe("sk-y");
    expect(temp.read(".env")).toBe("# keys\nANTHROPIC_API_KEY=sk-x\nOPENAI_API_KEY=sk-y\nC=3\n");
    expect(temp.modeOf(".env")).toBe(0o600);
    expect((await load(temp)).warnings).toEqual([]);
  });

  test("[20:R7.11] a managed file is read split but not repaired", async () => {
    using temp = new TempHome({ ".env": "HF_TOKEN=aGH_TOKEN=b\n", ".managed": "" });
    expect((await load(temp)).variables).toMatchObject({ HF_TOKEN: "a", GH_TOKEN: "b" });
    expect(temp.read(".env")).toBe("HF_TOKEN=aGH_TOKEN=b\n");
  });

  test("[20:R7.3] bytes that are not UTF-8 are read as Latin-1", async () => {
    using temp = new TempHome();
    temp.write(".env", Buffer.from("NAME=caf\xe9\nA_KEY=1\n", "latin1"));
    const { variables, warnings } = await load(temp);
    expect(variables).toMatchObject({ NAME: "café", A_KEY: "1" });
    expect(warnings[0]).toMatchObject({ kind: "secret-file", file: temp.home.envFile });
  });

  test("[20:R3.19] stray characters leave a credential, by code point, and other values keep theirs", async () => {
    using temp = new TempHome({ ".env": "A_API_KEY=sk–1\u200b\nNAME=Zoë\n" });
    const { variables, warnings } = await load(temp);
    expect(variables).toMatchObject({ A_API_KEY: "sk1", NAME: "Zoë" });
    expect(warnings[0]?.message).toContain("U+2013, U+200B");
    expect(warnings[0]?.message).not.toContain("sk");
  });
});

describe("credentials", () => {
  test("come out as secrets that do not print", async () => {
    using temp = new TempHome({ ".env": "A_TOKEN= sk-1 \nEMPTY_TOKEN=\n" });
    const store = new SecretStore(await load(temp));
    expect(store.get("A_TOKEN")).toBeInstanceOf(Secret);
    expect(store.get("EMPTY_TOKEN")).toBeUndefined();
    expect(store.first(["EMPTY_TOKEN", "A_TOKEN"])?.name).toBe("A_TOKEN");
    expect(store.all().map(({ name }) => name)).toEqual(["A_TOKEN"]);
    expect(inspect(store.all(), { depth: 9 })).not.toContain("sk-1");
  });

  test("are written one at a time and removed again", async () => {
    using temp = new TempHome({ ".env": "# mine\nA_TOKEN=1 # old\n" });
    const options = { home: temp.home, env: temp.env };
    await Promise.all([
      writeSecret("A_TOKEN", new Secret("two words"), options),
      writeSecret("B_TOKEN", new Secret("x"), options),
    ]);
    expect(temp.read(".env")).toBe("# mine\nA_TOKEN='two words' # old\nB_TOKEN=x\n");
    expect(temp.modeOf(".env")).toBe(0o600);
    expect(await removeSecrets(["A_TOKEN"], options)).toBe(true);
    expect(await removeSecrets(["A_TOKEN"], options)).toBe(false);
    expect(temp.read(".env")).toBe("# mine\nB_TOKEN=x\n");
  });

  test("need a proper name and no NUL", async () => {
    using temp = new TempHome();
    const options = { home: temp.home, env: temp.env };
    await expect(writeSecret("A-B", new Secret("x"), options)).rejects.toThrow(/not the name/);
    await expect(writeSecret("A_KEY", new Secret("a\0b"), options)).rejects.toThrow(/NUL/);
    expect(temp.has(".env")).toBe(false);
  });
});
