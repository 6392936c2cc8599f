import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says } from "../fakes/model-server/index.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";

// A program and a browser.
vi.setConfig({ testTimeout: 300_000 });

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

const prefix = "/tools/hermes/";

/** A reverse proxy that serves what is behind it below a path; what it sends there names no other host. */
async function startProxy(scope: Scope, target: URL, seen: string[]): Promise<string> {
  const headersFor = ({ headers }: IncomingMessage) => ({ ...headers, host: target.host, origin: target.origin });
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url} ${incoming.headers.referer ?? "-"}`);
    if (!incoming.url?.startsWith(prefix)) return void response.writeHead(404).end();
    const path = `/${incoming.url.slice(prefix.length)}`;
    const { origin: _origin, ...plain } = headersFor(incoming);
    const headers = incoming.headers.origin === undefined ? plain : headersFor(incoming);
    const sent = request(new URL(path, target), { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on("error", () => response.destroy());
    incoming.pipe(sent);
  });
  server.on("upgrade", (incoming, socket, head) => {
    const path = `/${incoming.url?.slice(prefix.length)}`;
    const lines = Object.entries(headersFor(incoming)).map(([name, value]) => `${name}: ${String(value)}`);
    const behind = connect(Number(target.port), target.hostname, () => {
      behind.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      behind.write(head);
      behind.pipe(socket).pipe(behind);
    });
    for (const [one, other] of [
      [behind, socket],
      [socket, behind],
    ] as const)
      one.on("error", () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.defer(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
}

describe("behind a path", () => {
  it("the page chats, shows its pages and loads what it needs from below that path alone [20:R13.1]", async () => {
    const scope = new Scope();
    scopes.push(scope);
    const { model, origin, token } = await startDashboard(scope);
    const seen: string[] = [];
    const address = await startProxy(scope, new URL(origin), seen);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), `${address}#token=${token}`, problems);
    model.script(says("Here too.\n\n```js\nconst here = 1;\n```"));
    await page.getByLabel("Message", { exact: true }).fill("hello");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.getByText("Here too.").waitFor();
    await page.locator(".hljs-keyword").waitFor();
    await page.getByRole("link", { name: "Insights", exact: true }).click();
    await page.locator(".plot canvas").last().waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Insights", level: 1 }).waitFor();
    expect(seen.filter((one) => !one.includes(` ${prefix}`))).toEqual([]);
    // Neither the address nor what it refers to ever names the token.
    expect(seen.filter((one) => one.includes(token))).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe("links out of the page", () => {
  it("tell the other site neither where they were nor the token [20:R13.3]", async () => {
    const scope = new Scope();
    scopes.push(scope);
    const heard: { readonly url: string; readonly referer: string | undefined }[] = [];
    const site = createServer((incoming, response) => {
      heard.push({ url: incoming.url ?? "", referer: incoming.headers.referer });
      response.setHeader("content-type", "text/html");
      response.end("<title>elsewhere</title><script>document.title = String(window.opener)</script>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    scope.defer(() => void site.close());
    const { model, url } = await startDashboard(scope);
    const context = await openChromium(scope);
    const page = await openPage(context, url, []);
    model.script(says(`[read on](http://127.0.0.1:${(site.address() as AddressInfo).port}/page)`));
    await page.getByLabel("Message", { exact: true }).fill("where?");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "read on" }).click();
    const other = await opened;
    await expect.poll(() => other.title()).toBe("null");
    expect(heard.filter((one) => one.url === "/page")).toEqual([{ url: "/page", referer: undefined }]);
  });
});
