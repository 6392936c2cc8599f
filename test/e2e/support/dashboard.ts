import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Scope } from "#foundation/lifecycle/disposal";
import { type ModelServer, startModelServer } from "../../fakes/model-server/index.ts";
import { Stage } from "./stage.ts";

export interface Dashboard {
  readonly model: ModelServer;
  readonly stage: Stage;
  /** With the token in its fragment. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** Ends the program that serves it. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export interface Served {
  readonly child: ChildProcess;
  readonly url: string;
}

/** The built program with a scripted model, serving its dashboard; who comes back to its port names a `freePort`. */
export async function startDashboard(scope: Scope, more = "", port?: string): Promise<Dashboard> {
  const model = scope.adopt(await startModelServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    "auxiliary: { title_generation: { enabled: false } }",
    more,
  ].join("\n");
  const stage = scope.adopt(await Stage.open({ config, files: { "notes.txt": "tea\n" } }));
  const { child, url } = await serve(stage, port);
  const { origin } = new URL(url);
  const stop = (signal: NodeJS.Signals): Promise<void> => stopped(child, signal);
  return { model, stage, url, origin, token: url.split("#token=")[1] ?? "", stop };
}

export interface ServeOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the program; over when it says where it is. */
export async function serve(stage: Stage, port = "0", { args = [], env = {} }: ServeOptions = {}): Promise<Served> {
  const child = stage.start(["dashboard", "--port", port, "--no-open", "--json", ...args], { env });
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /"url": "([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.once("exit", () => reject(new Error(`it ended: ${text}`)));
  });
  return { child, url };
}

export function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}

/** A limit for what hangs, on a machine that has much else to do. */
const hangsMs = 120_000;

const launchFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface ChromiumOptions {
  /** For its resolver of names. */
  readonly rules?: string;
  readonly context?: BrowserContextOptions;
}

/** Chromium of the system. A context that a test would make by itself had the limits of Playwright, which are for an idle machine. */
export async function openChromium(
  scope: Scope,
  { rules, context: how }: ChromiumOptions = {},
): Promise<BrowserContext> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-chromium-"));
  scope.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const args = rules === undefined ? launchFlags : [...launchFlags, `--host-resolver-rules=${rules}`];
  const browser: Browser = await chromium.launch({
    timeout: hangsMs,
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    headless: true,
    args,
    env: { ...process.env, HOME: folder } as Record<string, string>,
  });
  scope.defer(() => browser.close());
  const context = await browser.newContext(how);
  context.setDefaultTimeout(hangsMs);
  return context;
}

/** A page that fails the test when one of its scripts does. */
export async function openPage(context: BrowserContext, url: string, problems: string[]): Promise<Page> {
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(url);
  return page;
}
