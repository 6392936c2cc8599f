import { HttpBodyError, httpRequest } from "#foundation/http/request";
import { never } from "#foundation/lifecycle/abort";
import { newId } from "#foundation/text/ids";
import { isRecord } from "#foundation/text/json";
import { ToolFailure } from "../../contract/result.ts";
import { callService, listAt, textField } from "../../web/service-call.ts";
import type { ActionEnd, BrowserDriver, PageImage, Screenshot, Visit } from "../driver.ts";
import type { OpenDeps, OpenRequest } from "../open.ts";
import { commandTimeout, navigationTimeout } from "../options.ts";

const maxScreenshotBytes = 30_000_000;

/** A hardened Firefox behind a small REST service. It has no console, no scripts and no dialogs for us. */
export function openCamofox(from: {
  readonly origin: string;
  readonly deps: OpenDeps;
  readonly wanted: OpenRequest;
}): BrowserDriver {
  return new CamofoxDriver(from.origin.replace(/\/$/, ""), from.deps, from.wanted);
}

class CamofoxDriver implements BrowserDriver {
  readonly kind = "camofox";
  readonly label = "camofox";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly #origin: string;
  readonly #deps: OpenDeps;
  readonly #userId: string;
  readonly #sessionKey: string;
  #tabId: string | undefined;
  #url = "about:blank";
  #isClosed = false;

  constructor(origin: string, deps: OpenDeps, wanted: OpenRequest) {
    this.#origin = origin;
    this.#deps = deps;
    // The service keeps cookies and logins by this id: one that comes back finds them again.
    this.#userId = deps.options.camofoxUser ?? newId("hermes");
    this.#sessionKey = wanted.taskId;
    this.facts = wanted.facts ?? {};
  }

  get isAlive(): boolean {
    return !this.#isClosed;
  }

  url(): string {
    return this.#url;
  }

  async navigate(url: string, signal: AbortSignal): Promise<Visit> {
    const timeoutMs = navigationTimeout(this.#deps.options);
    const answer =
      this.#tabId === undefined
        ? await this.#call("/tabs", {
            json: { userId: this.#userId, sessionKey: this.#sessionKey, url },
            timeoutMs,
            signal,
          })
        : await this.#post("navigate", { url }, { timeoutMs, signal });
    this.#tabId ??= textField(answer, "tabId", "id") || undefined;
    this.#url = textField(answer, "url") || url;
    return { url: this.#url, title: textField(answer, "title"), hops: [this.#url] };
  }

  async outline(signal: AbortSignal): Promise<string> {
    const answer = await this.#call(`${this.#tab()}/snapshot?userId=${this.#userId}`, { signal });
    this.#url = textField(answer, "url") || this.#url;
    return textField(answer, "snapshot").replace(/\[(e\d+)\]/g, "[ref=$1]");
  }

  async click(ref: string, signal: AbortSignal): Promise<ActionEnd> {
    this.#url = textField(await this.#post("click", { ref }, { signal }), "url") || this.#url;
    return { kind: "done" };
  }

  /** The service does not say what kind of field it is; a field called a password is taken for one. */
  async type(ref: string, text: string, signal: AbortSignal): Promise<{ readonly isPassword: boolean }> {
    const outline = await this.outline(signal);
    await this.#post("type", { ref, text }, { signal });
    const line = outline.split("\n").find((one) => one.includes(`[ref=${ref}]`)) ?? "";
    return { isPassword: /passw|secret|\bpin\b/i.test(line) };
  }

  async scroll(direction: "up" | "down", signal: AbortSignal): Promise<void> {
    await this.#post("scroll", { direction, amount: 500 }, { signal });
  }

  async back(signal: AbortSignal): Promise<string> {
    this.#url = textField(await this.#post("back", {}, { signal }), "url") || this.#url;
    return this.#url;
  }

  async press(key: string, signal: AbortSignal): Promise<ActionEnd> {
    await this.#post("press", { key }, { signal });
    return { kind: "done" };
  }

  async images(signal: AbortSignal): Promise<readonly PageImage[]> {
    const answer = await this.#call(`${this.#tab()}/images?userId=${this.#userId}`, { signal });
    return listAt(answer, "images").map((image) => ({
      src: textField(image, "src"),
      alt: textField(image, "alt"),
      width: Number(image["width"] ?? 0),
      height: Number(image["height"] ?? 0),
    }));
  }

  async screenshot(_isAnnotated: boolean, signal: AbortSignal): Promise<Screenshot> {
    const response = await httpRequest(
      `${this.#origin}${this.#tab()}/screenshot?userId=${this.#userId}&fullPage=true`,
      {
        signal,
        timeoutMs: commandTimeout(this.#deps.options),
        maxBodyBytes: maxScreenshotBytes,
        redirect: "error",
      },
    );
    signal.throwIfAborted();
    if (response.kind === "failure") throw new ToolFailure(`No screenshot: ${response.failure.message}`);
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of response.body) chunks.push(chunk);
    } catch (error) {
      if (!(error instanceof HttpBodyError)) throw error;
      throw new ToolFailure(`No screenshot: ${error.failure.message}`);
    }
    if (response.status !== 200) throw new ToolFailure(`No screenshot: HTTP ${response.status}`);
    return { png: Buffer.concat(chunks) };
  }

  evaluate(): Promise<unknown> {
    return Promise.reject(new ToolFailure("This browser (camofox) cannot evaluate scripts.", { success: false }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#tabId === undefined) return;
    // The end of a session takes its profile along; where the profile is to stay, only the page is closed.
    const isKept = this.#deps.options.camofoxUser !== undefined;
    const ended = isKept ? `${this.#tab()}?userId=${this.#userId}` : `/sessions/${this.#userId}`;
    await callService(`${this.#origin}${ended}`, {
      method: "DELETE",
      timeoutMs: 5_000,
      signal: never,
    });
  }

  #tab(): string {
    if (this.#tabId === undefined) throw new ToolFailure("No page is open. Use browser_navigate first.");
    return `/tabs/${encodeURIComponent(this.#tabId)}`;
  }

  #post(
    action: string,
    fields: Readonly<Record<string, unknown>>,
    how: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<unknown> {
    return this.#call(`${this.#tab()}/${action}`, { json: { userId: this.#userId, ...fields }, ...how });
  }

  async #call(
    path: string,
    call: { readonly json?: unknown; readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<unknown> {
    const answer = await callService(`${this.#origin}${path}`, {
      timeoutMs: commandTimeout(this.#deps.options),
      ...call,
    });
    if (answer.kind === "failed")
      throw new ToolFailure(`The browser service failed: ${answer.reason}`, { success: false });
    return isRecord(answer.value) ? answer.value : {};
  }
}
