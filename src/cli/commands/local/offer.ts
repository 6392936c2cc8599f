import { totalmem } from "node:os";
import { byteSize } from "#foundation/text/figures";
import { enginePlatform, suggestedModel } from "#local-model";
import type { Invocation } from "../../command.ts";
import { homeOf } from "../../support/home.ts";
import { libraryOf } from "./get.ts";
import { runningServers } from "./running-servers.ts";

/** Half of the memory is for everything else that runs. */
export function usableMemory(): number {
  return totalmem() / 2;
}

/** A connection of an ordinary household, for a guess of how long a download takes. */
const bytesPerMs = 6_000;

/** What a model on this machine would be, with its size and about how long it takes to get it. */
export function machineOffer(): string {
  const model = offeredModel();
  if (model === undefined) return "";
  const minutes = Math.max(1, Math.round(model.sizeBytes / bytesPerMs / 60_000));
  return `${model.id}, ${byteSize(model.sizeBytes)} to download, about ${minutes} min`;
}

function offeredModel() {
  return enginePlatform() === undefined ? undefined : suggestedModel(usableMemory());
}

/** Ways to a real model, one line each; what is there already comes first. */
export async function firstOffers(invocation: Invocation): Promise<readonly string[]> {
  const { env, signal } = invocation.io;
  const [servers, { models }] = await Promise.all([runningServers(env, signal), libraryOf(homeOf(invocation)).list()]);
  const local = offeredModel();
  return [
    ...servers.map(({ label, detail }) => `/connect  ${label}: ${detail}`),
    ...models.slice(0, 3).map(({ id }) => `/connect  This machine: ${id} is here`),
    models.length > 0 || local === undefined
      ? "/connect  a provider, with a key or a login"
      : `/connect  a provider, or a local model (${local.id}, a download of ${byteSize(local.sizeBytes)})`,
  ];
}
