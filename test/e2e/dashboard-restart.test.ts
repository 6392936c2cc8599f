import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { freePort } from "../fakes/free-port.ts";
import { says, slow } from "../fakes/model-server/index.ts";
import { type Dashboard, openChromium, openPage, serve, startDashboard } from "./support/dashboard.ts";

// Programs and browsers are started several times.
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

const answer = "one two three four five six seven eight";

/** A page in the middle of an answer. */
async function inMidAnswer(scope: Scope): Promise<Dashboard & { readonly page: Page; readonly second: Page }> {
  const dashboard = await startDashboard(scope, "", String(await freePort()));
  const { model, url } = dashboard;
  const context = await openChromium(scope);
  const page = await openPage(context, url, []);
  model.script(slow(says(answer, { fragments: 8 })));
  await page.getByLabel("Message", { exact: true }).fill("count");
  await page.getByLabel("Message", { exact: true }).press("Enter");
  model.release(4);
  await page.getByRole("article", { name: "Hermes" }).getByText("one").waitFor();
  await page.waitForURL(/#\/chat\/./);
  const second = await openPage(context, url, []);
  await second.goto(page.url());
  await second.getByRole("article", { name: "Hermes" }).getByText("one").waitFor();
  return { ...dashboard, page, second };
}

describe("a server that is started anew", () => {
  it.each(["SIGKILL", "SIGTERM"] as const)(
    "goes on in mid-answer with the pages that were open: %s [20:R13.1]",
    async (end) => {
      const scope = newScope();
      const { stage, model, url, origin, page, second, stop } = await inMidAnswer(scope);
      const loads: string[] = [];
      for (const each of [page, second]) each.on("load", () => loads.push(each.url()));

      await stop(end);
      await page.getByText("The connection is gone. Trying again…").waitFor();
      model.script(says(answer));
      const asked = model.requests.length;
      const again = await serve(stage, new URL(origin).port);
      expect(again.url).not.toBe(url);

      for (const each of [page, second]) {
        await each.getByText(answer, { exact: true }).waitFor();
        await each.getByText("The connection is gone. Trying again…").waitFor({ state: "detached" });
        expect(await each.getByRole("article", { name: "You" }).allInnerTexts()).toEqual(["count"]);
        expect(await each.getByRole("article", { name: "Hermes" }).count()).toBe(1);
      }
      expect(loads).toEqual([]);
      expect(model.requests.length - asked).toBe(1);

      model.script(says("It is still me."));
      await page.getByLabel("Message", { exact: true }).fill("and now?");
      await page.getByLabel("Message", { exact: true }).press("Enter");
      await second.getByText("It is still me.").waitFor();
      await page.getByRole("link", { name: "Status" }).click();
      await page.getByText("Folder of new conversations").waitFor();
    },
  );

  it("is waited for by pages that show what they had, and go on by themselves [20:R13.1]", async () => {
    const scope = newScope();
    const { stage, url, origin, stop } = await startDashboard(scope, "", String(await freePort()));
    const context = await openChromium(scope);
    const page = await openPage(context, url, []);
    await page.getByText("What shall we do?").waitFor();
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText("Folder of new conversations").waitFor();
    await stop("SIGKILL");
    const away = page.getByText("Hermes does not answer. Trying again…");
    await away.waitFor();
    expect(await page.getByText("Folder of new conversations").isVisible()).toBe(true);
    await page.getByRole("link", { name: "Keys" }).click();
    await away.waitFor();
    await serve(stage, new URL(origin).port);
    await page.getByRole("region", { name: "Models" }).waitFor();
    expect(await away.count()).toBe(0);
  });

  it("lets a page back only by proof, and tells nothing to what took its port [20:R13.3]", async () => {
    const scope = newScope();
    const { stage, url, origin, stop } = await startDashboard(scope, "", String(await freePort()));
    const page = await openPage(await openChromium(scope), url, []);
    await page.getByText("What shall we do?").waitFor();
    const key = path.join(stage.home, "dashboard.key");
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    const secret = (await readFile(key, "utf8")).trim();

    await stop("SIGKILL");
    const heard: { readonly url: string; readonly body: string }[] = [];
    const impostor = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        heard.push({ url: request.url ?? "", body });
        const isHello = request.url === "/api/return/hello";
        response.writeHead(isHello ? 200 : 401, { "content-type": "application/json" });
        response.end(JSON.stringify(isHello ? { start: "x".repeat(16), proof: "A".repeat(43) } : { error: "no" }));
      });
    });
    const { port } = new URL(origin);
    await new Promise<void>((resolve) => impostor.listen(Number(port), "127.0.0.1", resolve));
    await expect
      .poll(() => heard.filter((one) => one.url === "/api/return/hello").length, { timeout: 60_000 })
      .toBeGreaterThan(1);
    impostor.closeAllConnections();
    await new Promise<void>((resolve) => impostor.close(() => resolve()));
    expect(heard.filter((one) => one.url === "/api/return/proof")).toEqual([]);

    const again = await serve(stage, port);
    await page.getByText("The connection is gone. Trying again…").waitFor({ state: "detached", timeout: 60_000 });
    const { id } = JSON.parse(heard.find((one) => one.url === "/api/return/hello")?.body ?? "{}") as { id: string };
    const call = (what: string, body: unknown, headers: Record<string, string> = { origin }) =>
      fetch(`${origin}/api/return/${what}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
    const nonce = "n".repeat(24);
    const hello = await call("hello", { id, nonce });
    expect(hello.status).toBe(200);
    const { proof } = (await hello.json()) as { readonly proof: string };
    // Neither the proof of the server nor one that was made up opens anything.
    for (const made of [proof, "A".repeat(43), ""]) expect((await call("proof", { id, proof: made })).status).toBe(401);
    expect((await call("hello", { id: `1.${"a".repeat(16)}`, nonce })).status).toBe(401);
    expect((await call("ticket", {})).status).toBe(401);
    for (const headers of [{}, { origin: "https://evil.test" }, { origin: "null" }])
      for (const what of ["hello", "proof"])
        expect((await call(what, { id, nonce, proof }, headers as Record<string, string>)).status).toBe(403);

    const stored = await page.evaluate<string>(
      "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])",
    );
    expect(stored).toContain(again.url.split("#token=")[1]);
    expect(Object.keys((JSON.parse(stored) as [object])[0])).toEqual(["hermes-token"]);
    expect(page.url()).not.toContain("token");
    expect(await stage.filesWith(secret)).toEqual(["dashboard.key"]);
    for (const { url: one } of [{ url }, again])
      expect(await stage.filesWith(one.split("#token=")[1] ?? "")).toEqual([]);
  });
});
