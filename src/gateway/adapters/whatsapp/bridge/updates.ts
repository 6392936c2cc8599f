import { timeLimit } from "#foundation/lifecycle/abort";
import type { ConnectionPorts } from "../../../platform/platform.ts";
import { listAt, textAt } from "../../support/fields.ts";
import { ServiceError } from "../../support/service-error.ts";
import { type BridgeApi, checkLinked, healthOf, linkedAccount } from "./api.ts";
import { type BridgeRules, readMessage } from "./inbound.ts";

const waitSeconds = 25;
const graceMs = 10_000;
const shortestRoundMs = 1_000;
const position = "messages";

/** Asks the bridge for what people wrote, from where everything before was taken in. */
export class BridgeUpdates {
  readonly #ports: ConnectionPorts;
  readonly #api: BridgeApi;
  readonly #rules: BridgeRules;
  #after: string | undefined;

  constructor({ ports, api, rules }: { ports: ConnectionPorts; api: BridgeApi; rules: BridgeRules }) {
    this.#ports = ports;
    this.#api = api;
    this.#rules = rules;
  }

  async stay(ready: () => void, signal: AbortSignal): Promise<string> {
    const { id } = linkedAccount(await healthOf(this.#api, signal));
    // Positions and rules are those of the account that it was.
    if (id !== this.#rules.account.id)
      throw new ServiceError({ errorClass: "auth", message: "another account was linked; start the gateway again" });
    this.#ports.alive();
    this.#after ??= (await this.#ports.position(id, position)) ?? "";
    ready();
    while (!signal.aborted) await this.#round(signal);
    return "closed";
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { clock, alive } = this.#ports;
    const startedMs = clock.now();
    const query = new URLSearchParams({ after: this.#after ?? "", wait: String(waitSeconds) });
    const within = timeLimit(waitSeconds * 1000 + graceMs, signal);
    const answer = await this.#api.rest(`/messages?${query}`, { signal: within });
    alive();
    const messages = listAt(answer, "messages");
    let isWritten = true;
    for (const data of messages) {
      const cursor = textAt(data, "cursor");
      if (cursor === "") throw new ServiceError({ errorClass: "format", message: "the bridge gave no cursor" });
      const read = readMessage(data, this.#rules);
      isWritten = typeof read !== "string";
      if (typeof read === "string") this.#leftOut(read);
      else await this.#ports.admit(read, { name: position, value: cursor });
      this.#after = cursor;
    }
    if (!isWritten)
      await this.#ports.keepPosition(this.#rules.account.id, { name: position, value: this.#after ?? "" });
    checkLinked(textAt(answer, "state"));
    // A bridge that does not wait is not asked without a pause.
    const restMs = shortestRoundMs - (clock.now() - startedMs);
    if (messages.length === 0 && restMs > 0) await clock.sleep(restMs, signal).catch(() => undefined);
  }

  #leftOut(reason: string): void {
    const { config, logger } = this.#ports;
    if (config.whatsapp.debug) logger.info("a message was left out", { platform: "whatsapp", reason });
  }
}
