import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { ToolFailure } from "../contract/result.ts";
import type { ActionEnd, BrowserDriver, CdpCall, DriverKind, PageImage, Screenshot, Visit } from "./driver.ts";
import { type BrowserOptions, commandTimeout, navigationTimeout } from "./options.ts";
import { annotated } from "./page/annotate.ts";
import { cdpCall } from "./page/cdp-call.ts";
import { ConsoleLog } from "./page/console-log.ts";
import { DialogSupervisor } from "./page/dialogs.ts";
import { keepDownload } from "./page/downloads.ts";
import { frameTree } from "./page/frames.ts";
import { type JudgeHop, type RefusedHop, watchNavigation } from "./page/navigation-watch.ts";
import { collectImages, scrollPage } from "./page/page-scripts.ts";
import type { Recording } from "./page/recording.ts";
import { RefNames } from "./page/ref-names.ts";

export interface DriverSetup {
  readonly kind: DriverKind;
  readonly label: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly options: BrowserOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly downloads: string;
  readonly judgeHop?: JudgeHop;
  readonly recording?: Recording;
  /** Ends whatever stands behind the context: a process, a paid session. */
  close(): Promise<void>;
}

const scrollPixels = 500;
const settleMs = 1_500;

/** Drives Chromium over the DevTools protocol. */
export class PlaywrightDriver implements BrowserDriver {
  readonly kind: DriverKind;
  readonly label: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly dialogs: DialogSupervisor;
  readonly log = new ConsoleLog();
  readonly #setup: DriverSetup;
  readonly #context: BrowserContext;
  readonly #refs = new RefNames();
  #page: Page;
  #isClosed = false;
  /** All requests of the browser are judged already. */
  #isWatched = false;
  /** Frames that are pages, not parts of one. */
  readonly #wholePages = new Set<string>();
  #refused: RefusedHop | undefined;

  private constructor(context: BrowserContext, page: Page, setup: DriverSetup) {
    this.kind = setup.kind;
    this.label = setup.label;
    this.facts = setup.facts;
    this.#setup = setup;
    this.#context = context;
    this.#page = page;
    const { dialogPolicy: policy, dialogTimeoutMs: timeoutMs } = setup.options;
    this.dialogs = new DialogSupervisor({ policy, timeoutMs, clock: setup.clock });
  }

  static async open(context: BrowserContext, setup: DriverSetup): Promise<PlaywrightDriver> {
    const page = context.pages()[0] ?? (await context.newPage());
    const driver = new PlaywrightDriver(context, page, setup);
    context.on("page", (opened) => void driver.#follow(opened));
    context.on("close", () => {
      driver.#isClosed = true;
    });
    await driver.#watchAll();
    await driver.#follow(page);
    return driver;
  }

  get isAlive(): boolean {
    return !this.#isClosed && !this.#page.isClosed();
  }

  url(): string {
    return this.#page.url();
  }

  takeRefused(): RefusedHop | undefined {
    const refused = this.#refused;
    this.#refused = undefined;
    return refused;
  }

  async navigate(url: string, signal: AbortSignal): Promise<Visit> {
    const timeout = navigationTimeout(this.#setup.options);
    this.#refused = undefined;
    const response = await this.#run(
      () => this.#page.goto(url, { waitUntil: "domcontentloaded", timeout, signal }),
      signal,
      { what: `open ${url}`, timeoutMs: timeout + 2_000 },
    );
    await this.#settle(signal);
    const hops: string[] = [];
    for (let request = response?.request() ?? null; request !== null; request = request.redirectedFrom())
      hops.unshift(request.url());
    return { url: this.url(), title: await this.#title(signal), hops: [...hops, this.url()] };
  }

  async outline(signal: AbortSignal): Promise<string> {
    const tree = await this.#run((timeout) => this.#page.ariaSnapshot({ mode: "ai", timeout, signal }), signal, {
      what: "read the page",
    });
    return this.#refs.rename(tree);
  }

  click(ref: string, signal: AbortSignal): Promise<ActionEnd> {
    return this.#act(async () => this.#locator(ref).click({ timeout: this.#timeout, signal }), signal, `click @${ref}`);
  }

  async type(ref: string, text: string, signal: AbortSignal): Promise<{ readonly isPassword: boolean }> {
    const locator = this.#locator(ref);
    return this.#run(
      async (timeout) => {
        const isPassword = (await locator.getAttribute("type", { timeout }))?.toLowerCase() === "password";
        await locator.fill(text, { timeout, signal });
        return { isPassword };
      },
      signal,
      { what: `type into @${ref}` },
    );
  }

  async scroll(direction: "up" | "down", signal: AbortSignal): Promise<void> {
    const script = scrollPage(direction === "down" ? scrollPixels : -scrollPixels);
    await this.#run(() => this.#page.evaluate(script), signal, { what: "scroll" });
  }

  async back(signal: AbortSignal): Promise<string> {
    await this.#run((timeout) => this.#page.goBack({ waitUntil: "domcontentloaded", timeout }), signal, {
      what: "go back",
    });
    return this.url();
  }

  press(key: string, signal: AbortSignal): Promise<ActionEnd> {
    return this.#act(() => this.#page.keyboard.press(key), signal, `press ${key}`);
  }

  async images(signal: AbortSignal): Promise<readonly PageImage[]> {
    return this.#run(() => this.#page.evaluate<PageImage[]>(collectImages), signal, { what: "list the images" });
  }

  async screenshot(isAnnotated: boolean, signal: AbortSignal): Promise<Screenshot> {
    const tree = isAnnotated ? await this.outline(signal) : "";
    return this.#run(
      async (timeout) =>
        isAnnotated
          ? annotated(this.#page, { tree, locate: (ref) => this.#locator(ref), timeout, signal })
          : { png: await this.#page.screenshot({ fullPage: true, timeout, signal }) },
      signal,
      { what: "take a screenshot" },
    );
  }

  async evaluate(expression: string, signal: AbortSignal): Promise<unknown> {
    return this.#run(() => this.#page.evaluate<unknown>(expression), signal, { what: "evaluate the expression" });
  }

  frames(): readonly Readonly<Record<string, unknown>>[] {
    return frameTree(this.#page);
  }

  cdp(call: CdpCall, signal: AbortSignal): Promise<unknown> {
    return cdpCall(this.#page, call, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.dialogs[Symbol.dispose]();
    await this.#setup.close();
    await this.#setup.recording?.[Symbol.asyncDispose]();
  }

  get #timeout(): number {
    return commandTimeout(this.#setup.options);
  }

  #locator(ref: string) {
    const handle = this.#refs.handleOf(ref);
    if (handle === undefined)
      throw new ToolFailure(`There is no element @${ref}. Look again with browser_snapshot.`, { success: false });
    return this.#page.locator(`aria-ref=${handle}`);
  }

  /** Watches a page; a page that a click opened becomes the one we look at. */
  async #follow(page: Page): Promise<void> {
    this.#page = page;
    page.on("dialog", (dialog) => void this.dialogs.open(dialog));
    page.on("console", (message) =>
      this.log.addMessage({ type: message.type(), text: message.text(), source: message.location().url }),
    );
    page.on("pageerror", (error) => this.log.addError({ message: error.message, source: page.url() }));
    page.on("download", (download) => {
      keepDownload(download, this.#setup.downloads, this.#setup.clock.now()).then(
        (path) => this.log.addMessage({ type: "download", text: `saved as ${path}`, source: download.url() }),
        (error: unknown) => this.#setup.logger.warn("A download was not saved", { error: describe(error) }),
      );
    });
    page.on("close", () => {
      const left = this.#context.pages().at(-1);
      if (page === this.#page && left !== undefined) this.#page = left;
    });
    try {
      const session: CDPSession = await this.#context.newCDPSession(page);
      session.on("Page.javascriptDialogClosed", () => this.#dialogGone());
      await session.send("Page.enable");
      const { recording } = this.#setup;
      this.#wholePages.add((await session.send("Page.getFrameTree")).frameTree.frame.id);
      if (!this.#isWatched) await this.#watch(session);
      await recording?.follow(session, () => page.url());
    } catch (error) {
      this.#setup.logger.debug("A page closed before it could be watched", { error: describe(error) });
    }
  }

  /** Of a browser that is ours alone everything is judged at once; in somebody's own browser only our pages are. */
  async #watchAll(): Promise<void> {
    const browser = this.#setup.kind === "cdp" ? null : this.#context.browser();
    if (browser === null || this.#setup.judgeHop === undefined) return;
    try {
      await this.#watch(await browser.newBrowserCDPSession());
      this.#isWatched = true;
    } catch (error) {
      if (this.#setup.kind !== "cloud") throw error;
      // A service may keep the session of the whole browser to itself; then its pages are watched one by one.
      this.#setup.logger.warn("Popups of this browser are judged only once they are open", { error: describe(error) });
    }
  }

  async #watch(session: CDPSession): Promise<void> {
    const { judgeHop, logger } = this.#setup;
    if (judgeHop === undefined) return;
    await watchNavigation(session, judgeHop, {
      isWholePage: (frameId) => this.#wholePages.has(frameId),
      onRefused: (hop) => {
        this.#refused = hop;
      },
      logger,
    });
  }

  /** Our own answers take the dialog off the list before they close it. */
  #dialogGone(): void {
    this.dialogs.closedElsewhere();
  }

  async #title(signal: AbortSignal): Promise<string> {
    if (this.dialogs.pending.length > 0) return "";
    return this.#run(() => this.#page.title(), signal, { what: "read the title" });
  }

  /** Scripts often build the page after it has come; a page that never rests is not waited for. */
  async #settle(signal: AbortSignal): Promise<void> {
    try {
      await this.#page.waitForLoadState("load", { timeout: settleMs });
    } catch (error) {
      if (signal.aborted) throw error;
      this.#setup.logger.debug("The page is still loading", { error: describe(error) });
    }
  }

  /** An action whose scripts open a dialog does not end until the dialog does. */
  async #act(action: () => Promise<void>, signal: AbortSignal, what: string): Promise<ActionEnd> {
    const dialog = this.dialogs.opened();
    const done = this.#run(() => action(), signal, { what }).then((): ActionEnd => ({ kind: "done" }));
    const held = dialog.promise.then((): ActionEnd => ({ kind: "dialog" }));
    // When the dialog wins, the action ends later, with the page; that outcome is nobody's any more.
    done.catch(() => undefined);
    try {
      return await Promise.race([done, held]);
    } finally {
      dialog.cancel();
    }
  }

  async #run<T>(
    work: (timeoutMs: number) => Promise<T>,
    signal: AbortSignal,
    options: { readonly what: string; readonly timeoutMs?: number },
  ): Promise<T> {
    if (!this.isAlive) throw new ToolFailure("The browser is gone. Open the page again with browser_navigate.");
    using limit = deadline(options.timeoutMs ?? this.#timeout + 2_000);
    try {
      return await raceAbort(work(this.#timeout), linkSignals(signal, limit.signal));
    } catch (error) {
      if (signal.aborted || error instanceof ToolFailure) throw error;
      throw new ToolFailure(
        `Could not ${options.what}: ${plain(describe(error))}`,
        { success: false },
        { cause: error },
      );
    }
  }
}

/** The first line; the rest is the library's own call log. */
function plain(message: string): string {
  const [first = ""] = message.split("\n");
  return first.replace(/^(?:\w+\.)?\w+: /, "").slice(0, 300);
}
