import type { Config } from "#config";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { listenOn } from "#foundation/http/listen";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Scope } from "#foundation/lifecycle/disposal";
import type { Clock } from "#foundation/time/clock";
import { userOf } from "../bridge/api.ts";
import { linkedDeviceRisk, printable } from "../bridge/pair.ts";
import { Device, type DeviceState } from "./device.ts";
import { DeviceStore } from "./device-store.ts";
import { type DeviceLibrary, loadDeviceLibrary } from "./library.ts";
import { bridgeServer } from "./server.ts";

export interface WhatsAppBridgeOptions {
  readonly config: Pick<Config, "whatsapp">;
  readonly token: string;
  /** The folder of the account's keys, and the one of packages installed on demand. */
  readonly folders: { readonly session: string; readonly packages: string };
  readonly number?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  show(text: string): void;
}

/** The bridge: a linked device of a person's WhatsApp account, served to the gateway on this machine until the signal. */
export async function runWhatsAppBridge(options: WhatsAppBridgeOptions, signal: AbortSignal): Promise<void> {
  addressOf(options.config.whatsapp.bridge_url);
  const library = await loadDeviceLibrary(options.folders.packages, options.show, signal);
  await serveDevice(library, options, signal);
}

export async function serveDevice(
  library: DeviceLibrary,
  { config, token, folders, number, clock, logger, show }: WhatsAppBridgeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { hostname: host, port } = addressOf(config.whatsapp.bridge_url);
  await using scope = new Scope();
  const store = scope.adopt(await DeviceStore.open(folders.session, clock.now()));
  const changes = new Changes();
  const teller = new Teller(show);
  const { base_url: base } = config.whatsapp;
  const device = new Device({
    library,
    store,
    clock,
    logger,
    number,
    address: /^wss?:/u.test(base) ? base : undefined,
    onChange() {
      changes.tell();
      teller.tell(device.state);
    },
  });
  const server = bridgeServer({ device, store, token, logger, changed: (withinMs) => changes.wait(withinMs) });
  await listenOn(server, { host, port: Number(port) || 80 }, "Set another one: hermes config set whatsapp.bridge_url");
  scope.defer(
    () =>
      new Promise<void>((resolve) => {
        changes.tell();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  show(`The bridge listens on ${config.whatsapp.bridge_url}.`);
  await device.run(signal);
}

function addressOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/iu.test(url.hostname)) return url;
  throw new UserError("whatsapp.bridge_url must be http:// on this machine (127.0.0.1).", {
    code: "whatsapp_settings",
  });
}

/** Wakes everybody who waits, whenever something changes. */
class Changes {
  #next = new Deferred<void>();

  tell(): void {
    this.#next.resolve();
    this.#next = new Deferred<void>();
  }

  async wait(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([this.#next.promise, enough]);
    clearTimeout(timer);
  }
}

/** Says to the person in the terminal what they must do, and when it is done. */
class Teller {
  readonly #show: (text: string) => void;
  #shown = "";

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  tell(state: DeviceState): void {
    const text = wordsFor(state);
    if (text === "" || text === this.#shown) return;
    this.#shown = text;
    this.#show(text);
  }
}

function wordsFor(state: DeviceState): string {
  if (state.state === "connected")
    return `WhatsApp is linked as ${printable(state.account.name || userOf(state.account.id))}.`;
  if (state.state === "logged_out")
    return "The phone unlinked this device. Link it again: hermes gateway setup whatsapp";
  if (state.state !== "pairing") return "";
  const code = state.code === "" ? "" : `Or type in this code: ${state.code}\n`;
  return `${linkedDeviceRisk}\nOn the phone: WhatsApp, Linked devices, Link a device.\n${printable(state.qr)}\n${code}`;
}
