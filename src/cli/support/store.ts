import { existsSync } from "node:fs";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openSealer, openStore, type Store, type StoreLocation } from "#store";
import type { Invocation } from "../command.ts";
import { loadSettings } from "./settings.ts";

/** The store of the home; undefined while there is none, so that looking does not create it. */
export async function openExistingStore(invocation: Invocation): Promise<Store | undefined> {
  const { location, open } = await storeOf(invocation);
  if ("path" in location && !existsSync(location.path)) return undefined;
  return await open();
}

export async function openOrCreateStore(invocation: Invocation): Promise<Store> {
  return await (await storeOf(invocation)).open();
}

async function storeOf(invocation: Invocation) {
  const { home, loaded } = await loadSettings(invocation);
  const { store, gateway } = loaded.config;
  const location: StoreLocation = store.url.isEmpty ? { path: home.stateDb } : { url: store.url.reveal() };
  const sealing = {
    isOn: gateway.encrypt_at_rest,
    keyFile: gateway.encryption_key_file,
    usualKeyFile: home.gatewayKey,
    isShared: !store.url.isEmpty,
  };
  const open = async (): Promise<Store> =>
    await openStore(location, { clock: systemClock, log: silentLogger, sealer: await openSealer(sealing) });
  return { location, open };
}
