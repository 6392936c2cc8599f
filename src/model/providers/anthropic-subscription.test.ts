import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { withAcceptedNotice } from "../credentials/auth-state.ts";
import { KeyScopeError } from "../credentials/scoped.ts";
import { mergeHeaders, prepareRequest } from "../prepare.ts";
import { openWorld, resolved } from "../resolve/testing/world.ts";
import { readFileTool } from "../testing/target.ts";

const token = "sk-ant-oat01-0123456789abcdef";
const key = "sk-ant-api03-0123456789abcdef";

/** The request as it would leave for Anthropic, with what the credential adds. */
async function sent(supplied: { readonly secret: string; readonly isAccepted?: boolean; readonly at?: string }) {
  using world = openWorld({ env: { ANTHROPIC_TOKEN: supplied.secret } });
  if (supplied.isAccepted === true)
    await world.authFile.update((state) => withAcceptedNotice(state, "anthropic", new Date(0)), never);
  const { target, notices } = await resolved({ provider: "anthropic", model: "claude-sonnet-4-6" }, world.context);
  const { wire, url, headers } = await prepareRequest({
    target,
    system: "You are Hermes. Claude Code is another program.",
    messages: [{ role: "user", content: "Who are you?" }],
    tools: [readFileTool],
    options: { stream: true },
  });
  const input = {
    method: "POST",
    url: supplied.at === undefined ? url : new URL(supplied.at),
    headers,
    body: wire.body,
  };
  const credential = await target.credential.authorize(input, never);
  return { body: wire.body, headers: mergeHeaders(headers, credential), notices };
}

describe("a Claude subscription token [20:R1.52]", () => {
  test("before the notice is accepted Hermes goes by its own name, and says what is missing", async () => {
    const { headers, notices } = await sent({ secret: token });
    expect(headers["user-agent"]).toMatch(/^HermesAgent\//);
    expect(headers["x-app"]).toBeUndefined();
    expect(headers["anthropic-beta"]).toContain("oauth-2025-04-20");
    expect(headers["anthropic-beta"]).not.toContain("claude-code");
    expect(notices.join()).toContain("hermes auth accept anthropic");
  });

  test("afterwards the headers name the client the service expects", async () => {
    const { headers, notices } = await sent({ secret: token, isAccepted: true });
    expect(headers["user-agent"]).toMatch(/^claude-cli\//);
    expect([headers["x-app"], headers["authorization"]]).toEqual(["cli", `Bearer ${token}`]);
    expect(headers["anthropic-beta"]).toMatch(/claude-code-20250219,oauth-2025-04-20$/);
    expect(notices.join()).not.toContain("hermes auth accept");
  });

  test("the body is byte for byte that of a request with a key: no prompt and no tool is rewritten", async () => {
    const withKey = await sent({ secret: key });
    const withLogin = await sent({ secret: token, isAccepted: true });
    expect(withLogin.body).toBe(withKey.body);
    expect(JSON.parse(withLogin.body)).toMatchObject({ tools: [{ name: "read_file" }] });
    expect(withLogin.body).toContain("You are Hermes. Claude Code is another program.");
  });

  test("an API key never names another client, whatever was accepted", async () => {
    const { headers } = await sent({ secret: key, isAccepted: true });
    expect(headers["user-agent"]).toMatch(/^HermesAgent\//);
    expect([headers["x-app"], headers["x-api-key"]]).toEqual([undefined, key]);
    expect(headers["anthropic-beta"]).not.toMatch(/oauth|claude-code/);
  });

  test.each(["https://api.minimax.io/anthropic/v1/messages", "https://api.anthropic.com.evil.test/v1/messages"])(
    "goes to nobody else: %s",
    async (at) => {
      await expect(sent({ secret: token, isAccepted: true, at })).rejects.toThrow(KeyScopeError);
    },
  );
});
