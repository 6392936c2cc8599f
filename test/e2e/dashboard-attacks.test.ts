import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says } from "../fakes/model-server/index.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

/** The status of a request whose headers a browser would not let a page choose. */
function statusOf(origin: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path, origin), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end();
  });
}

function socketStatus(origin: string, token: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/api/chat`, ["hermes.v1", `bearer.${token}`], {
      headers,
    });
    socket.once("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.once("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.on("error", () => undefined);
  });
}

describe("who may speak to the dashboard", () => {
  it("refuses a missing token, other host names and other origins, also for sockets [20:R13.3] [20:A13.1] [20:A13.3]", async () => {
    const { origin, token, stage } = await startDashboard(newScope(), "display: { skin: default }");
    const bearer = { authorization: `Bearer ${token}` };
    expect(await statusOf(origin, "/api/config", {})).toBe(401);
    expect(await statusOf(origin, "/api/config", { authorization: "Bearer wrong" })).toBe(401);
    expect(await statusOf(origin, "/api/config", bearer)).toBe(200);
    expect(await statusOf(origin, "/api/config", { ...bearer, host: "evil.test" })).toBe(403);
    expect(await statusOf(origin, "/", { host: "evil.test" })).toBe(403);
    expect(await statusOf(origin, "/api/config", { ...bearer, origin: "http://evil.test" })).toBe(403);
    expect(await statusOf(origin, "/api/config", { ...bearer, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await socketStatus(origin, token, { origin })).toBe(101);
    expect(await socketStatus(origin, token, {})).toBe(403);
    expect(await socketStatus(origin, token, { origin: "http://evil.test" })).toBe(403);
    expect(await socketStatus(origin, "wrong", { origin })).toBe(401);

    const page = await fetch(`${origin}/`);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("frame-ancestors 'none'");
    const shown = await stage.run(["config", "show", "--json"]);
    const answered = await fetch(`${origin}/api/config`, { headers: bearer });
    const { schema_version: _version, ...document } = JSON.parse(shown.stdout) as Record<string, unknown>;
    expect(await answered.json()).toEqual(document);
  });

  it("gives a page of another site nothing, whatever it tries [20:R13.3]", async () => {
    const scope = newScope();
    const { origin, token, model } = await startDashboard(scope);
    const port = new URL(origin).port;
    const evil = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<iframe src="${origin}/#token=${token}"></iframe>`);
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", () => resolve()));
    scope.defer(
      () =>
        new Promise<void>((resolve) => {
          evil.closeAllConnections();
          evil.close(() => resolve());
        }),
    );
    const context = await openChromium(scope, { rules: "MAP evil.test 127.0.0.1" });
    const page = await context.newPage();
    await page.goto(`http://evil.test:${(evil.address() as AddressInfo).port}/`);
    const frame = page.frames()[1];
    expect(await frame?.locator("#app").count()).toBe(0);
    const outcome = await page.evaluate(
      async ([target, secret]) => {
        const tried = (init: RequestInit) =>
          fetch(`${target}/api/cron/jobs`, init).then(
            (got) => got.status,
            () => "blocked",
          );
        const body = JSON.stringify({ name: "evil", schedule: "every 2h", prompt: "evil" });
        const socket = await new Promise((resolve) => {
          const { WebSocket: Socket } = globalThis as unknown as { WebSocket: typeof WebSocket };
          const opened = new Socket(`${target?.replace("http", "ws")}/api/chat`, ["hermes.v1", `bearer.${secret}`]);
          opened.onopen = () => resolve("open");
          opened.onerror = () => resolve("blocked");
        });
        return [
          await tried({ method: "POST", body, headers: { authorization: `Bearer ${secret}` } }),
          await tried({ method: "POST", body, mode: "no-cors" }),
          socket,
        ];
      },
      [origin, token],
    );
    expect(outcome).toEqual(["blocked", "blocked", "blocked"]);
    const rebound = await page.goto(`http://evil.test:${port}/`);
    expect(rebound?.status()).toBe(403);
    const jobs = await fetch(`${origin}/api/cron/jobs`, { headers: { authorization: `Bearer ${token}` } });
    expect(await jobs.json()).toMatchObject({ jobs: [] });
    expect(model.requests).toEqual([]);
  });
});

const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const yaml = (text: string): string => JSON.stringify(text);
const logLine = (message: string): string => JSON.stringify({ level: "error", message });

/** The pages, and what each shows of the markup, as text. */
const shownBy: Readonly<Record<string, string>> = {
  Sessions: "Asked <img",
  Memory: "Tea <img",
  "Skills and tools": "Skill <img",
  Schedules: "Job <img",
  Settings: "tts.openai.voice",
  Logs: "Logged <img",
};

describe("words of strangers", () => {
  it("run no script: answers, tool results, file names and titles [20:R13.3]", async () => {
    const scope = newScope();
    const { model, url } = await startDashboard(scope);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const outside: string[] = [];
    page.on("request", (sent) => {
      if (!sent.url().startsWith(new URL(url).origin) && !sent.url().startsWith("data:")) outside.push(sent.url());
    });
    const attack = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    model.script(
      calls("terminal", { command: `echo '${attack.replaceAll("'", "")}'` }),
      calls("write_file", { path: `${attack.replaceAll("/", "")}.txt`, content: attack }),
      says(
        [
          attack,
          `[click](javascript:document.title='owned') ![tracker](https://tracker.invalid/pixel.png) <svg onload="alert(1)">`,
          `<a href="javascript:alert(1)">a</a>`,
          `\`\`\`html\n${attack}\n\`\`\``,
          `| ${attack} |\n| --- |\n| ${attack} |`,
          "The end.",
        ].join("\n\n"),
      ),
    );
    await page.getByLabel("Message", { exact: true }).fill(`/title ${attack}`);
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.getByLabel("Message", { exact: true }).fill(attack);
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.getByText("The end.").waitFor();
    expect(await page.getByRole("article", { name: "Tool write_file" }).innerText()).toContain("onerror");
    expect(await page.title()).not.toBe("owned");
    const inMessages = page.locator(".scroller");
    expect(await inMessages.locator("script, svg, iframe, img").count()).toBe(0);
    expect(await inMessages.locator("a[href^=javascript]").count()).toBe(0);
    expect(await page.locator("[onerror], [onload]").count()).toBe(0);
    expect({ dialogs, outside, problems }).toEqual({ dialogs: [], outside: [], problems: [] });
  });

  it("run no script on any page: memory, skills, jobs, settings, logs, sessions [20:R13.3]", async () => {
    const scope = newScope();
    const { model, stage, url } = await startDashboard(scope, `tts: { openai: { voice: ${yaml(markup)} } }`);
    await mkdir(path.join(stage.home, "memories"), { recursive: true });
    await writeFile(path.join(stage.home, "memories", "MEMORY.md"), `Tea ${markup}`);
    const skill = path.join(stage.home, "skills", "strange");
    await mkdir(skill, { recursive: true });
    await writeFile(
      path.join(skill, "SKILL.md"),
      `---\nname: strange\ndescription: ${yaml(`Skill ${markup}`)}\n---\n${markup}`,
    );
    await stage.run(["cron", "create", "every 8h", `Look ${markup}`, "--name", `Job ${markup}`]);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    model.script(says(`Said so.\n\n${markup}`));
    await page.getByLabel("Message", { exact: true }).fill(`Asked ${markup}`);
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.getByText("Said so.").waitFor();
    await mkdir(path.join(stage.home, "logs"), { recursive: true });
    await appendFile(path.join(stage.home, "logs", "agent.log"), `${logLine(`Logged ${markup}`)}\n`);
    for (const [link, shown] of Object.entries(shownBy)) {
      await page.getByRole("link", { name: link, exact: true }).click();
      await page.getByRole("heading", { name: link, level: 1 }).waitFor();
      await page.getByText(shown).first().waitFor();
      expect([link, await page.locator("[onerror], [onload], main script, main img").count()]).toEqual([link, 0]);
    }
    expect(await page.title()).not.toBe("owned");
    expect(problems).toEqual([]);
  });
});
