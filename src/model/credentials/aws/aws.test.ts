import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signAws } from "#foundation/http/aws-signature";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { startOAuthServer } from "../../../../test/fakes/oauth-server.ts";
import { KeyScopeError } from "../scoped.ts";
import { openAwsCredential } from "./aws-credential.ts";
import { type AwsChainOptions, findAwsCredentials, hasAwsCredentials } from "./chain.ts";
import { readAwsFile } from "./profile-file.ts";

/** The account and the moment of the examples AWS publishes for Signature Version 4. */
const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const scope = { region: "us-east-1", service: "service", nowMs: Date.UTC(2015, 7, 30, 12, 36, 0) };
const signatureOf = (headers: Readonly<Record<string, string>>): string =>
  /Signature=(\w+)/.exec(headers.Authorization ?? "")?.[1] ?? "";

describe("[20:R1.65] AWS signatures", () => {
  test.each([
    [
      "get-vanilla",
      "GET",
      "https://example.amazonaws.com/",
      {},
      "",
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ],
    [
      "get-vanilla-query-order-key-case",
      "GET",
      "https://example.amazonaws.com/?Param2=value2&Param1=value1",
      {},
      "",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "post-vanilla",
      "POST",
      "https://example.amazonaws.com/",
      {},
      "",
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "post-x-www-form-urlencoded",
      "POST",
      "https://example.amazonaws.com/",
      { "Content-Type": "application/x-www-form-urlencoded" },
      "Param1=value1",
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ] as const)("published example %s", (_name, method, url, headers, body, expected) => {
    expect(signatureOf(signAws({ method, url: new URL(url), headers, body }, keys, scope))).toBe(expected);
  });

  test("the IAM example of the documentation", () => {
    const request = {
      method: "GET",
      url: new URL("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08"),
      headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
      body: "",
    };
    const signed = signAws(request, keys, { ...scope, service: "iam" });
    expect(signed).toEqual({
      "x-amz-date": "20150830T123600Z",
      Authorization:
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    });
  });

  test("a session token is sent and signed; what proxies change is not signed", () => {
    const request = {
      method: "POST",
      url: new URL("https://x.amazonaws.com/model/a%3A0/invoke"),
      headers: { "User-Agent": "x", Accept: "y" },
      body: "{}",
    };
    const signed = signAws(request, { ...keys, sessionToken: "session" }, scope);
    expect(signed["x-amz-security-token"]).toBe("session");
    expect(signed.Authorization).toContain("SignedHeaders=accept;host;x-amz-date;x-amz-security-token,");
  });
});

describe("[20:R1.65] where AWS credentials come from", () => {
  let folder: string;
  const clock = new FakeClock(Date.UTC(2026, 3, 1));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hermes-aws-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const options = (env: Readonly<Record<string, string>>, more: Partial<AwsChainOptions> = {}): AwsChainOptions => ({
    env,
    userHome: folder,
    clock,
    ...more,
  });

  test("a Bedrock key first, then the pair of the environment", async () => {
    const pair = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "session" };
    expect(await findAwsCredentials(options({ ...pair, AWS_BEARER_TOKEN_BEDROCK: "bearer-key" }), never)).toEqual({
      kind: "bearer",
      token: "bearer-key",
      source: "env:AWS_BEARER_TOKEN_BEDROCK",
    });
    expect(await findAwsCredentials(options(pair), never)).toEqual({
      kind: "keys",
      keys: { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "session" },
      source: "env:AWS_ACCESS_KEY_ID",
    });
  });

  test("the profile that is named, from either file", async () => {
    mkdirSync(join(folder, ".aws"));
    writeFileSync(
      join(folder, ".aws", "credentials"),
      "[default]\naws_access_key_id = AKDEFAULT\naws_secret_access_key = s1 # note\n",
    );
    writeFileSync(
      join(folder, ".aws", "config"),
      "; comment\n[profile work]\nregion = x\naws_access_key_id=AKWORK\naws_secret_access_key=s2\n  nested = 1\n",
    );
    expect(await findAwsCredentials(options({}), never)).toMatchObject({
      keys: { accessKeyId: "AKDEFAULT", secretAccessKey: "s1" },
      source: "profile:default",
    });
    expect(await findAwsCredentials(options({ AWS_PROFILE: "work" }), never)).toMatchObject({
      keys: { accessKeyId: "AKWORK" },
      source: "profile:work",
    });
    expect(await findAwsCredentials(options({ AWS_PROFILE: "nobody" }), never)).toBeUndefined();
    expect(await hasAwsCredentials(options({ AWS_PROFILE: "work" }))).toBe(true);
    expect([...readAwsFile("[a]\nk=v\n[a]\nj=w").entries()]).toEqual([["a", { k: "v", j: "w" }]]);
  });

  test("a container, with its token, and only from an address that may be asked", async () => {
    await using server = await startOAuthServer();
    server.on("/creds", (call) =>
      call.headers.authorization === "container-token"
        ? { body: { AccessKeyId: "AKC", SecretAccessKey: "s", Token: "t", Expiration: "2026-04-01T01:00:00Z" } }
        : { status: 401 },
    );
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server.url}/creds`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "container-token",
    };
    expect(await findAwsCredentials(options(env), never)).toEqual({
      kind: "keys",
      keys: { accessKeyId: "AKC", secretAccessKey: "s", sessionToken: "t" },
      source: "container",
      expiresAtMs: Date.UTC(2026, 3, 1, 1),
    });
    expect(
      await findAwsCredentials(
        options({ ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://evil.test/creds" }),
        never,
      ),
    ).toBeUndefined();
  });

  test("a cluster's token is traded for the keys of a role", async () => {
    await using server = await startOAuthServer();
    server.on("/", () => ({
      body: "<R><Credentials><AccessKeyId>AKW</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-04-01T01:00:00Z</Expiration></Credentials></R>",
    }));
    writeFileSync(join(folder, "token"), "web-token\n");
    const env = { AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "token"), AWS_ROLE_ARN: "arn:aws:iam::1:role/x" };
    const there = { ...env, AWS_ENDPOINT_URL_STS: `${server.url}/` };
    expect(await findAwsCredentials(options(there), never)).toMatchObject({
      keys: { accessKeyId: "AKW", sessionToken: "t" },
      source: "web identity",
    });
    expect(server.calls[0]?.fields).toMatchObject({
      Action: "AssumeRoleWithWebIdentity",
      RoleArn: "arn:aws:iam::1:role/x",
      WebIdentityToken: "web-token",
    });
  });

  test("an instance is asked last, with a session, and only on request", async () => {
    await using server = await startOAuthServer();
    server.on("/latest/api/token", (call) => ({ status: call.method === "PUT" ? 200 : 405, body: "session-1" }));
    server.on("/latest/meta-data/iam/security-credentials/", (call) => ({
      body: call.headers["x-aws-ec2-metadata-token"] === "session-1" ? "my-role" : "",
    }));
    server.on("/latest/meta-data/iam/security-credentials/my-role", () => ({
      body: { AccessKeyId: "AKI", SecretAccessKey: "s" },
    }));
    const there = { AWS_EC2_METADATA_SERVICE_ENDPOINT: server.url };
    expect(await findAwsCredentials(options(there), never)).toBeUndefined();
    expect(await findAwsCredentials(options(there, { askInstance: true }), never)).toMatchObject({
      keys: { accessKeyId: "AKI" },
      source: "instance role",
    });
    expect(
      await findAwsCredentials(options({ ...there, AWS_EC2_METADATA_DISABLED: "true" }, { askInstance: true }), never),
    ).toBeUndefined();
  });

  test("a handle signs for its region's hosts only and looks again before the keys end", async () => {
    await using server = await startOAuthServer();
    let supplied = 0;
    server.on("/creds", () => {
      supplied += 1;
      return {
        body: {
          AccessKeyId: `AK${supplied}`,
          SecretAccessKey: "s",
          Expiration: new Date(clock.now() + 600_000).toISOString(),
        },
      };
    });
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server.url}/creds` };
    const handle = await openAwsCredential(
      {
        ...options(env),
        region: "eu-west-1",
        service: "bedrock",
        allowedHosts: ["bedrock-runtime.eu-west-1.amazonaws.com"],
      },
      never,
    );
    if (handle === undefined) throw new Error("no credentials");
    const input = {
      method: "POST",
      url: new URL("https://bedrock-runtime.eu-west-1.amazonaws.com/model/x/converse"),
      headers: {},
      body: "{}",
    };
    expect((await handle.authorize(input, never)).Authorization).toContain(
      "Credential=AK1/20260401/eu-west-1/bedrock/",
    );
    await clock.advance(400_000);
    expect((await handle.authorize(input, never)).Authorization).toContain("Credential=AK2/");
    await expect(
      handle.authorize({ ...input, url: new URL("https://bedrock-runtime.us-east-1.amazonaws.com/") }, never),
    ).rejects.toThrow(KeyScopeError);
    expect(handle.secrets.map((secret) => secret.reveal())).toEqual(["s"]);
    expect(await handle.refresh(never)).toBe(true);
  });
});
