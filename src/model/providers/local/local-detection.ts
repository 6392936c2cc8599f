import { defined } from "#foundation/defined";
import type { Clock } from "#foundation/time/clock";
import { type DetectedServer, detectLocalServer, type LocalServer, localContextWindow } from "./local.ts";
import { type Detection, readDetections, writeDetections } from "./local-detection-file.ts";

const goodForMs = 300_000;

/**
 * Remembers for a while what a local server said about itself, so that not every turn asks again; with a file, not
 * every start either. That a server answered and is none we know is remembered too; that nobody answered is not, since
 * the server may just be starting.
 */
export class LocalDetection {
  readonly #clock: Clock;
  readonly #file: string | undefined;
  #known: ReadonlyMap<string, Detection> | undefined;

  constructor(clock: Clock, file?: string) {
    this.#clock = clock;
    this.#file = file;
  }

  readonly detect = async (
    baseUrl: string,
    model: string | undefined,
    signal: AbortSignal,
  ): Promise<DetectedServer | undefined> => {
    const server = await this.#server(baseUrl, signal);
    if (server === undefined) return undefined;
    const window = model === undefined ? undefined : await this.#window({ server, baseUrl, model }, signal);
    return { server, ...defined({ contextWindow: window }) };
  };

  async #server(baseUrl: string, signal: AbortSignal): Promise<LocalServer | undefined> {
    const known = await this.#recent(baseUrl);
    if (known !== undefined) return known.server;
    let hasAnswered = false;
    const onAnswer = (): void => {
      hasAnswered = true;
    };
    const server = await detectLocalServer(baseUrl, { onAnswer }, signal);
    if (server !== undefined || hasAnswered)
      await this.#keep(baseUrl, { atMs: this.#clock.now(), windows: {}, ...defined({ server }) });
    return server;
  }

  async #window(
    where: { readonly server: LocalServer; readonly baseUrl: string; readonly model: string },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { baseUrl, model } = where;
    const known = await this.#recent(baseUrl);
    const remembered = known?.windows[model];
    if (remembered !== undefined) return remembered;
    const window = await localContextWindow(where.server, { baseUrl, model }, signal);
    if (window !== undefined && known !== undefined)
      await this.#keep(baseUrl, { ...known, windows: { ...known.windows, [model]: window } });
    return window;
  }

  async #recent(baseUrl: string): Promise<Detection | undefined> {
    this.#known ??= this.#file === undefined ? new Map() : await readDetections(this.#file);
    const known = this.#known.get(baseUrl);
    const ageMs = known === undefined ? goodForMs : this.#clock.now() - known.atMs;
    return ageMs >= 0 && ageMs < goodForMs ? known : undefined;
  }

  async #keep(baseUrl: string, detection: Detection): Promise<void> {
    const oldestMs = this.#clock.now() - goodForMs;
    const recent = [...(this.#known ?? [])].filter(([, one]) => one.atMs > oldestMs);
    this.#known = new Map(recent).set(baseUrl, detection);
    if (this.#file !== undefined) await writeDetections(this.#file, this.#known);
  }
}
