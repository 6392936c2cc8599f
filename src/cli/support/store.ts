import { existsSync } from "node:fs";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store, type StoreLocation } from "#store";
import type { Invocation } from "../command.ts";
import { loadSettings } from "./settings.ts";

/** The store of the home; undefined while there is none, so that looking does not create it. */
export async function openExistingStore(invocation: Invocation): Promise<Store | undefined> {
  const location = await storeLocation(invocation);
  if ("path" in location && !existsSync(location.path)) return undefined;
  return await openStore(location, { clock: systemClock, log: silentLogger });
}

export async function openOrCreateStore(invocation: Invocation): Promise<Store> {
  return await openStore(await storeLocation(invocation), { clock: systemClock, log: silentLogger });
}

async function storeLocation(invocation: Invocation): Promise<StoreLocation> {
  const { home, loaded } = await loadSettings(invocation);
  const { url } = loaded.config.store;
  return url.isEmpty ? { path: home.stateDb } : { url: url.reveal() };
}
