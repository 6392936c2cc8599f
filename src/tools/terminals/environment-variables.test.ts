import { describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { childEnvironment, isBlockedVariable } from "./environment-variables.ts";
import { SessionVariables } from "./session-variables.ts";

const parent = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/u",
  LC_ALL: "C",
  https_proxy: "http://proxy",
  EDITOR: "vi",
  OPENAI_API_KEY: "sk-1",
  GROQ_API_KEY: "g",
  GH_TOKEN: "t",
  SIGNAL_ACCOUNT: "+1",
  TELEGRAM_BOT_TOKEN: "t",
  SUDO_PASSWORD: "pw",
  _HERMES_FORCE_X: "1",
  SKILL_KEY: "s",
};

describe("the environment of a child", () => {
  it("[30:5.12] drops credentials, the sudo password and overrides", () => {
    const env = childEnvironment(parent, { policy: "inherit", blocked: ["SKILL_KEY"] });
    expect(env).toEqual({
      PATH: "/usr/bin:/bin",
      HOME: "/home/u",
      LC_ALL: "C",
      https_proxy: "http://proxy",
      EDITOR: "vi",
    });
  });

  it("inherits only what is listed, and nothing that sounds like a credential or holds a password", () => {
    const env = childEnvironment(
      {
        JAVA_HOME: "/jdk",
        MY_INTERNAL_THING: "x",
        CARGO_REGISTRY_TOKEN: "t",
        PIP_INDEX_URL: "https://u:pw@pip.example/simple",
        PIP_NO_INPUT: "1",
        NODE_AUTH_TOKEN: "t",
        DATABASE_URL: "postgres://u:pw@db/x",
        AWS_SECRET_ACCESS_KEY: "s",
      },
      { policy: "inherit", passthrough: ["DATABASE_URL"] },
    );
    expect(Object.keys(env)).toEqual(["JAVA_HOME", "PIP_NO_INPUT", "DATABASE_URL", "PATH"]);
  });

  it("[30:5.12] keeps only what programs need under the minimal policy", () => {
    expect(Object.keys(childEnvironment(parent, { policy: "minimal" }))).toEqual([
      "PATH",
      "HOME",
      "LC_ALL",
      "https_proxy",
    ]);
  });

  it("[30:5.12] lets the user pass a blocked name on, but never a skill", () => {
    const env = childEnvironment(parent, {
      policy: "minimal",
      passthrough: ["GH_TOKEN", "SUDO_PASSWORD", "NOT_SET"],
    });
    expect(env).toMatchObject({ GH_TOKEN: "t" });
    const variables = new SessionVariables();
    variables.allow("s", ["SKILL_KEY", "OPENAI_API_KEY"]);
    variables.set("s", "OPENAI_API_KEY", new Secret("sk-x"));
    expect(variables.names("s")).toEqual(["SKILL_KEY"]);
    expect(variables.typed("s")).toEqual({});
    expect(Object.keys(env)).not.toContain("SUDO_PASSWORD");
    expect(Object.keys(env)).not.toContain("NOT_SET");
  });

  it("[30:4.4] completes a PATH without the usual folders and injects what our own callers force", () => {
    const env = childEnvironment(
      { PATH: "/opt/x" },
      { policy: "inherit", extra: { _HERMES_FORCE_A: "1" }, home: "/h" },
    );
    expect(env["PATH"]).toMatch(/^\/opt\/x:.*:\/usr\/bin:/);
    expect(env).toMatchObject({ A: "1", HOME: "/h" });
  });

  it.each(["ANTHROPIC_TOKEN", "HASS_TOKEN", "EMAIL_PASSWORD", "MODAL_TOKEN_ID", "GITHUB_APP_ID", "SUDO_PASSWORD"])(
    "[30:5.12] blocks %s",
    (name) => expect(isBlockedVariable(name)).toBe(true),
  );
});
