import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { withActiveProvider } from "../credentials/auth-state.ts";
import { headersFor, openWorld, refused, resolved } from "./testing/world.ts";

const key = "sk-0123456789abcdef";

describe("auto", () => {
  test("[20:A3.15] GitHub tokens are not a choice", async () => {
    using world = openWorld({ env: { GH_TOKEN: "gho_0123456789abcdef", DEEPSEEK_API_KEY: key } });
    expect((await resolved({}, world.context)).target.provider).toBe("deepseek");
  });

  test("[20:R3.26] the token Claude Code gives its children is not a choice either", async () => {
    using world = openWorld({ env: { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-abcdefgh" } });
    expect(await refused({}, world.context)).toMatchObject({ code: "no_provider_configured" });
  });

  test("[20:R3.7] several keys: the choice is logged once with the alternatives", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key, OPENROUTER_API_KEY: key, XAI_API_KEY: key } });
    expect((await resolved({}, world.context)).target.provider).toBe("openrouter");
    await resolved({}, world.context);
    const told = world.logger.lines.filter((line) => JSON.stringify(line).includes("alternatives"));
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toMatch(/xai \(env:XAI_API_KEY\).*deepseek \(env:DEEPSEEK_API_KEY\)/);
  });

  test("[20:R3.7] a key on the command line means OpenRouter, an address the person's own endpoint", async () => {
    using world = openWorld({});
    const keyed = await resolved({ apiKey: new Secret("sk-or-12345678") }, world.context);
    expect([keyed.target.provider, keyed.target.source]).toEqual(["openrouter", "explicit"]);
    const addressed = await resolved({ baseUrl: "https://models.example.com/v1", model: "m" }, world.context);
    expect([addressed.target.provider, addressed.target.baseUrl]).toEqual(["custom", "https://models.example.com/v1"]);
  });

  test("[20:R3.8] a login that has run out is passed over by auto, and fails loudly when asked for", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key } });
    const codex = { tokens: { access_token: `a.${Buffer.from('{"exp":1}').toString("base64url")}.c` } };
    await world.authFile.update(
      (state) => withActiveProvider({ raw: { ...state.raw, providers: { "openai-codex": codex } } }, "openai-codex"),
      never,
    );
    const chosen = await resolved({}, world.context);
    expect(chosen.target.provider).toBe("deepseek");
    expect(chosen.notices.join()).toContain("openai-codex was passed over");
    expect(await refused({ provider: "openai-codex" }, world.context)).toMatchObject({
      code: "relogin_required",
      hint: expect.stringContaining("hermes auth add openai-codex"),
    });
  });

  test("[20:R3.7] Bedrock when there is nothing but AWS credentials", async () => {
    using world = openWorld({
      env: { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI", AWS_REGION: "eu-west-1" },
    });
    const { target, region } = await resolved({}, world.context);
    expect([target.provider, target.protocol, target.baseUrl, region]).toEqual([
      "bedrock",
      "anthropic_messages",
      "https://bedrock-runtime.eu-west-1.amazonaws.com",
      "eu-west-1",
    ]);
    expect((await headersFor(target, `${target.baseUrl}/model/x/invoke`)).Authorization).toContain(
      "/eu-west-1/bedrock/aws4_request",
    );
    await expect(headersFor(target, "https://bucket.s3.amazonaws.com/")).rejects.toThrow("may not be sent");
  });

  test("a region that is no region never becomes part of a host", async () => {
    using world = openWorld({ env: { AWS_BEARER_TOKEN_BEDROCK: "bedrock-key", AWS_REGION: "x.evil.test/" } });
    expect((await resolved({}, world.context)).target.baseUrl).toBe("https://bedrock-runtime.us-east-1.amazonaws.com");
  });

  test("[20:R1.65] without any AWS credentials the code says so", async () => {
    using world = openWorld({ env: { AWS_EC2_METADATA_DISABLED: "true" } });
    expect(await refused({ provider: "bedrock" }, world.context)).toMatchObject({ code: "no_aws_credentials" });
  });
});
