import type { Clock } from "#foundation/clock";
import { detectLocalServer, type LocalServer, localContextWindow } from "../providers/local.ts";
import type { DetectedServer } from "./context.ts";

const goodForMs = 300_000;

/** Remembers for a while what a local server said about itself, so that not every turn asks again. */
export class LocalDetection {
  readonly #clock: Clock;
  readonly #servers = new Map<string, { readonly atMs: number; readonly server: LocalServer | undefined }>();
  readonly #windows = new Map<string, { readonly atMs: number; readonly window: number | undefined }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly detect = async (
    baseUrl: string,
    model: string | undefined,
    signal: AbortSignal,
  ): Promise<DetectedServer | undefined> => {
    const server = await this.#server(baseUrl, signal);
    if (server === undefined) return undefined;
    const window = model === undefined ? undefined : await this.#window({ server, baseUrl, model }, signal);
    return { server, ...(window === undefined ? {} : { contextWindow: window }) };
  };

  async #server(baseUrl: string, signal: AbortSignal): Promise<LocalServer | undefined> {
    const known = this.#servers.get(baseUrl);
    if (known !== undefined && this.#clock.now() - known.atMs < goodForMs) return known.server;
    const server = await detectLocalServer(baseUrl, {}, signal);
    // Nothing found may mean that the server is just starting; only what was found is remembered.
    if (server !== undefined) this.#servers.set(baseUrl, { atMs: this.#clock.now(), server });
    return server;
  }

  async #window(
    where: { readonly server: LocalServer; readonly baseUrl: string; readonly model: string },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const key = `${where.model}@${where.baseUrl}`;
    const known = this.#windows.get(key);
    if (known !== undefined && this.#clock.now() - known.atMs < goodForMs) return known.window;
    const window = await localContextWindow(where.server, { baseUrl: where.baseUrl, model: where.model }, signal);
    if (window !== undefined) this.#windows.set(key, { atMs: this.#clock.now(), window });
    return window;
  }
}
