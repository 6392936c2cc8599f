import type { Clock } from "#foundation/time/clock";
import type { ModelFacts } from "../model-facts.ts";
import { findListed, readModelList } from "./model-list.ts";

/** How long an endpoint's model list is taken as it was read. */
const maxAgeMs = 5 * 60_000;
const maxEndpoints = 50;

/** Model lists that were fetched for other reasons (a picker, a probe), kept because they also tell windows and prices. */
export class EndpointLists {
  readonly #clock: Clock;
  readonly #lists = new Map<string, { readonly models: ReadonlyMap<string, ModelFacts>; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the parsed body of a `/models` answer. */
  note(baseUrl: string, body: unknown): void {
    const models = readModelList(body);
    if (models.size === 0) return;
    const key = keyOf(baseUrl);
    this.#lists.delete(key);
    this.#lists.set(key, { models, atMs: this.#clock.now() });
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > maxEndpoints && oldest !== undefined) this.#lists.delete(oldest);
  }

  /** What the list of this address says, however old; a window does not change by itself. */
  facts(baseUrl: string, model: string): ModelFacts | undefined {
    const list = this.#lists.get(keyOf(baseUrl));
    return list === undefined ? undefined : findListed(list.models, model);
  }

  /** Whether the list should be fetched again. */
  isFresh(baseUrl: string): boolean {
    const list = this.#lists.get(keyOf(baseUrl));
    return list !== undefined && this.#clock.now() - list.atMs < maxAgeMs;
  }
}

function keyOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "");
}
