import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { serious } from "./support/axe.ts";
import { openChromium, openPage, serve } from "./support/dashboard.ts";
import { modelConfig, root, Stage } from "./support/stage.ts";

// A program and a browser.
vi.setConfig({ testTimeout: 300_000 });

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

const outside = ["--host", "0.0.0.0", "--insecure"];
const fixture = (name: string): string => path.join(root, "test/fixtures/tls", name);
const tls = ["--tls-cert", fixture("certificate.pem"), "--tls-key", fixture("key.pem")];
const password = "a rather long password";

describe("for other machines", () => {
  it("listens neither without a word of the person, nor without a password, nor in the clear [20:R13.3] [20:A13.4]", async () => {
    const stage = newScope().adopt(await Stage.open());
    const tried = async (args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
      const { code, stderr } = await stage.run(["dashboard", "--no-open", "--port", "0", ...args], { env });
      expect(code).toBe(1);
      return stderr;
    };
    const withPassword = { HERMES_DASHBOARD_PASSWORD: password };
    expect(await tried(["--host", "0.0.0.0", ...tls], withPassword)).toContain("does not listen on 0.0.0.0.");
    expect(await tried([...outside, ...tls])).toContain("0.0.0.0 without a password");
    expect(await tried([...outside, ...tls], { HERMES_DASHBOARD_PASSWORD: "short" })).toContain("12 characters");
    expect(await tried(outside, withPassword)).toContain("0.0.0.0 without TLS");
  });

  it("lets in by the password alone, over TLS, and under no foreign name [20:R13.3]", async () => {
    const scope = newScope();
    const model = scope.adopt(await startModelServer());
    const stage = scope.adopt(await Stage.open({ config: modelConfig(model.chatBaseUrl) }));
    const env = { HERMES_DASHBOARD_PASSWORD: password };
    const { url } = await serve(stage, "0", { args: [...outside, ...tls], env });
    expect(url).toMatch(/^https:\/\/[^/]+:\d+\/$/);
    const address = `https://127.0.0.1:${new URL(url).port}/`;
    const context = await openChromium(scope, {
      rules: "MAP evil.test 127.0.0.1",
      context: { ignoreHTTPSErrors: true },
    });
    const problems: string[] = [];
    const page = await openPage(context, address, problems);
    const field = page.getByLabel("Password");
    await field.fill("a wrong password");
    await field.press("Enter");
    await page.getByText("This is not the password.").waitFor();
    expect(await serious(page)).toEqual([]);
    await field.fill(password);
    await field.press("Enter");
    model.script(says("Come in."));
    await page.getByLabel("Message", { exact: true }).fill("hello");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.getByText("Come in.").waitFor();
    await page.reload();
    await page.getByText("Come in.").waitFor();
    expect(problems.filter((one) => !one.includes("401"))).toEqual([]);

    const stranger = await context.newPage();
    await stranger.goto(address);
    await stranger.getByLabel("Password").waitFor();
    const status = await stranger.evaluate<number>("fetch('api/config').then((got) => got.status)");
    expect(status).toBe(401);
    expect((await stranger.goto(address.replace("127.0.0.1", "evil.test")))?.status()).toBe(403);
    expect(await stage.filesWith(password)).toEqual([]);
  });
});
