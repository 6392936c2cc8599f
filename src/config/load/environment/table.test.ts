import { describe, expect, test } from "vitest";
import { parseKeyPath } from "../../key-path.ts";
import { nodeAt } from "../../lookup.ts";
import { configRoot } from "../../sections/root.ts";
import { readSwitches } from "../../switches.ts";
import { checkProxies } from "./proxies.ts";
import { belongsInSecretFile, deadVariables, environmentVariables } from "./table.ts";

describe("[20:R7.13] [20:R7.14] the table of variables", () => {
  test("names every variable once", () => {
    const names = environmentVariables.map((variable) => variable.name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("points only at settings that exist", () => {
    const lost = environmentVariables
      .flatMap((variable) => (variable.kind === "gap" || variable.kind === "override" ? [variable.key] : []))
      .filter((key) => nodeAt(configRoot, parseKeyPath(key)) === undefined);
    expect(lost).toEqual([]);
  });

  test.each([
    ["HERMES_MAX_ITERATIONS", "gap", "agent.max_turns"],
    ["HERMES_REDACT_SECRETS", "override", "security.redact_secrets"],
    ["TERMINAL_ENV", "gap", "terminal.backend"],
    ["TERMINAL_SSH_HOST", "gap", "terminal.ssh_host"],
    ["AUXILIARY_VISION_MODEL", "gap", "auxiliary.vision.model"],
    ["HERMES_STREAM_STALE_TIMEOUT", "gap", "timeouts.stream_stale_seconds"],
    ["TELEGRAM_BOT_TOKEN", "override", "platforms.telegram.token"],
    ["DISCORD_ALLOW_MENTION_EVERYONE", "override", "discord.allow_mention_everyone"],
    ["WECOM_CALLBACK_CORP_ID", "override", "wecom_callback.corp_id"],
    ["API_SERVER_KEY", "override", "platforms.api_server.api_key"],
    ["SESSION_RESET_HOUR", "override", "session_reset.at_hour"],
  ])("%s is a %s for %s", (name, kind, key) => {
    expect(environmentVariables.find((variable) => variable.name === name)).toMatchObject({ kind, key });
  });

  test("[20:R7.15] dead variables name their replacement", () => {
    const dead = deadVariables({
      LLM_MODEL: "x",
      MESSAGING_CWD: "/",
      HERMES_TOOL_PROGRESS_MODE: "all",
      OPENAI_MODEL: "",
    });
    expect(dead.map(({ key, hint }) => [key, /Set ([\w.]+)/.exec(hint ?? "")?.[1]])).toEqual([
      ["LLM_MODEL", "model.default"],
      ["HERMES_TOOL_PROGRESS_MODE", "display.tool_progress"],
      ["MESSAGING_CWD", "terminal.cwd"],
    ]);
  });
});

describe("[20:R7.16] proxies", () => {
  test.each(["http://127.0.0.1:3128", "127.0.0.1:3128", "socks5://u:p@h:1", "https://h", "socks5h://h:1"])(
    "%s is good",
    (value) => {
      expect(checkProxies({ HTTPS_PROXY: value })).toEqual([]);
    },
  );

  test.each(["ftp://h", "http://", "http://h:port", "::::"])("%s is reported by the variable's name only", (value) => {
    const [warning] = checkProxies({ all_proxy: value });
    expect(warning).toMatchObject({ key: "all_proxy", severity: "error" });
  });
});

describe("[20:R7.13] switches of one run", () => {
  test("are read from words", () => {
    expect(readSwitches({ HERMES_YOLO_MODE: "1", HERMES_QUIET: "Yes", HERMES_DUMP_REQUESTS: "0" })).toEqual({
      isYolo: true,
      ignoreUserConfig: false,
      isQuiet: true,
      dumpRequests: false,
      sigtermGraceMs: 1500,
    });
  });

  test("nonsense keeps the usual grace", () => {
    expect(readSwitches({ HERMES_SIGTERM_GRACE: "soon" }).sigtermGraceMs).toBe(1500);
    expect(readSwitches({ HERMES_SIGTERM_GRACE: "0.25" }).sigtermGraceMs).toBe(250);
  });
});

describe("[20:R7.27] names that belong in .env", () => {
  test.each(["OPENAI_API_KEY", "x_token", "terminal_ssh_key", "FAL_KEY", "EMAIL_PASSWORD"])("%s does", (name) => {
    expect(belongsInSecretFile(name)).toBe(true);
  });

  test.each(["model.api_key", "display.streaming", "timezone", "agent.max_turns", "HERMES_TIMEZONE"])(
    "%s does not",
    (name) => {
      expect(belongsInSecretFile(name)).toBe(false);
    },
  );
});
