import path from "node:path";
import { pathToFileURL } from "node:url";
import { hasPackages, installPackages } from "#foundation/packages/install";
import { importModule } from "#foundation/process/import-module";
import type { Fields } from "../../support/fields.ts";
import lock from "./packages.json" with { type: "json" };

/** The part of Baileys that is used: a socket that speaks as a linked device of a WhatsApp account. */
export interface WhatsAppSocket {
  readonly ev: { on(event: string, listener: (data: Fields) => void): void };
  readonly user?: { readonly id: string; readonly lid?: string; readonly name?: string } | undefined;
  sendMessage(chat: string, content: Fields, options: Fields): Promise<unknown>;
  sendPresenceUpdate(presence: "composing", chat: string): Promise<void>;
  requestPairingCode(number: string): Promise<string>;
  updateMediaMessage(message: Fields): Promise<Fields>;
  end(error: Error | undefined): void;
}

export interface Baileys {
  makeWASocket(config: Fields): WhatsAppSocket;
  initAuthCreds(): Fields;
  /** Bytes inside of JSON. */
  readonly BufferJSON: {
    replacer(key: string, value: unknown): unknown;
    reviver(key: string, value: unknown): unknown;
  };
  readonly proto: { readonly Message: { readonly AppStateSyncKeyData: { fromObject(fields: Fields): unknown } } };
  downloadMediaMessage(
    message: Fields,
    form: "stream",
    options: Fields,
    context: Fields,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** What the bridge is made of, and is no part of the installation. */
export interface DeviceLibrary {
  readonly baileys: Baileys;
  /** A code to scan, drawn with characters. */
  drawn(code: string): string;
}

const megabytes = 30;

/** Loads Baileys and what draws codes, installed when they are first used: these versions, each checked by its hash. */
export async function loadDeviceLibrary(
  packages: string,
  show: (text: string) => void,
  signal: AbortSignal,
): Promise<DeviceLibrary> {
  const folder = path.join(packages, `whatsapp-${lock.wanted.baileys}`);
  if (!hasPackages(folder, lock))
    show(`Installing the WhatsApp library (baileys ${lock.wanted.baileys}, ${megabytes} MB), once.`);
  await installPackages(lock, { folder, what: "The WhatsApp library", code: "whatsapp_install_failed" }, signal);
  const load = async (module: string): Promise<unknown> =>
    await importModule(pathToFileURL(path.join(folder, "node_modules", module)).href);
  const baileys = await load("baileys/lib/index.js");
  const code = await load("qrcode-terminal/lib/main.js");
  if (!isBaileys(baileys) || !drawsCodes(code)) throw new Error("the WhatsApp library is not what it was");
  return {
    baileys,
    drawn(text) {
      let drawing = "";
      code.default.generate(text, { small: true }, (made) => {
        drawing = made;
      });
      return drawing;
    },
  };
}

function isBaileys(module: unknown): module is Baileys {
  const names = ["makeWASocket", "initAuthCreds", "BufferJSON", "proto", "downloadMediaMessage"];
  return typeof module === "object" && module !== null && names.every((name) => name in module);
}

interface CodeDrawer {
  readonly default: {
    generate(text: string, options: { readonly small: boolean }, done: (drawing: string) => void): void;
  };
}

function drawsCodes(module: unknown): module is CodeDrawer {
  return typeof module === "object" && module !== null && "default" in module;
}
