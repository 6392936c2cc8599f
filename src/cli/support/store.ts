import { existsSync } from "node:fs";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store, type StorePlace } from "#store";
import type { Invocation } from "../command.ts";
import { loadSettings } from "./settings.ts";

/** The store of the home; undefined while there is none, so that looking does not create it. */
export async function openExistingStore(invocation: Invocation): Promise<Store | undefined> {
  const place = await storePlace(invocation);
  if ("path" in place && !existsSync(place.path)) return undefined;
  return await openStore(place, { clock: systemClock, log: silentLogger });
}

export async function openOrCreateStore(invocation: Invocation): Promise<Store> {
  return await openStore(await storePlace(invocation), { clock: systemClock, log: silentLogger });
}

async function storePlace(invocation: Invocation): Promise<StorePlace> {
  const { home, loaded } = await loadSettings(invocation);
  const { url } = loaded.config.store;
  return url.isEmpty ? { path: home.stateDb } : { url: url.reveal() };
}
