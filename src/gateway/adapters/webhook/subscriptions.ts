import { stat } from "node:fs/promises";
import { describe } from "#foundation/errors";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { isRecord, parseJson } from "#foundation/text/json";
import { ConnectionError } from "../../platform/platform.ts";
import { type RouteDefaults, routeOf, type WebhookRoute } from "./routes.ts";

/** A route as `hermes webhook subscribe` keeps it, by the names of routes in `config.yaml`. */
export interface Subscription {
  readonly description?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly secret: string;
  readonly prompt?: string | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly deliver?: string | undefined;
  readonly deliver_extra?: Readonly<Record<string, string>> | undefined;
  readonly deliver_only?: boolean | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const maxBytes = 1_000_000;
export const routeName = /^[a-z0-9][a-z0-9_-]*$/u;

/** The routes of `webhook_subscriptions.json`: added and removed while the gateway runs. */
export class Subscriptions {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws where the file cannot be read as what it is. */
  async list(): Promise<ReadonlyMap<string, Fields>> {
    const text = await readTextFile(this.#file, { maxBytes });
    if (text === undefined || text.trim() === "") return new Map();
    const parsed = parseJson(text);
    if (!parsed.ok || !isRecord(parsed.value)) throw new Error(`${this.#file} is not a JSON object`);
    const entries = Object.entries(parsed.value).filter((entry): entry is [string, Fields] => isRecord(entry[1]));
    return new Map(entries);
  }

  async add(name: string, subscription: Subscription, signal: AbortSignal): Promise<void> {
    await this.#change((kept) => ({ ...kept, [name]: subscription }), signal);
  }

  /** False when there was none of that name. */
  async remove(name: string, signal: AbortSignal): Promise<boolean> {
    let wasThere = false;
    await this.#change(({ [name]: gone, ...rest }) => {
      wasThere = gone !== undefined;
      return rest;
    }, signal);
    return wasThere;
  }

  async #change(change: (kept: Fields) => Fields, signal: AbortSignal): Promise<void> {
    await withFileLock(
      `${this.#file}.lock`,
      async () => {
        const changed = change(Object.fromEntries(await this.list()));
        await writeFileAtomic(this.#file, `${JSON.stringify(changed, undefined, 2)}\n`, { mode: 0o600 });
      },
      { signal },
    );
  }
}

export interface LiveRoutesDeps {
  /** Those of the configuration, which keep their names. */
  readonly fixed: readonly WebhookRoute[];
  readonly file: string;
  readonly defaults: RouteDefaults;
  readonly logger: Logger;
}

/** All routes as they are now. The file is read again when it has changed; what cannot be read leaves the routes as they were. */
export class LiveRoutes {
  readonly #deps: LiveRoutesDeps;
  #version = "";
  #added: readonly WebhookRoute[] = [];

  constructor(deps: LiveRoutesDeps) {
    this.#deps = deps;
  }

  async find(name: string | undefined): Promise<WebhookRoute | undefined> {
    const fixed = this.#deps.fixed.find((one) => one.name === name);
    if (fixed !== undefined || name === undefined) return fixed;
    await this.#refresh();
    return this.#added.find((one) => one.name === name);
  }

  async #refresh(): Promise<void> {
    const { file, logger } = this.#deps;
    const found = await stat(file).catch(() => undefined);
    const version = found === undefined ? "" : `${found.mtimeMs}:${found.size}:${found.ino}`;
    if (version === this.#version) return;
    try {
      const entries = await new Subscriptions(file).list();
      this.#added = [...entries].flatMap(([name, fields]) => this.#readable(name, fields));
      this.#version = version;
    } catch (error) {
      logger.error("the webhook subscriptions cannot be read", { file, error: describe(error) });
    }
  }

  #readable(name: string, fields: Fields): readonly WebhookRoute[] {
    try {
      return routeName.test(name) ? [routeOf(name, fields, this.#deps.defaults)] : [];
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#deps.logger.error("a webhook subscription is left out", { name, error: error.message });
      return [];
    }
  }
}
