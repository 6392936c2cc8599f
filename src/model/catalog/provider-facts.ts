import type { CatalogueFacts, ProviderProfile } from "../providers/provider.ts";
import { builtinProviders } from "../providers/records/builtin.ts";

const records: ReadonlyMap<string, ProviderProfile> = new Map(builtinProviders.map((record) => [record.id, record]));

/** What the record of a provider tells the catalogue. */
export function catalogueFacts(provider: string): CatalogueFacts {
  return records.get(provider)?.catalogue ?? {};
}

/** Whether its models stand in public catalogues: those of a person's own endpoint do not. */
export function isCatalogued(provider: string): boolean {
  const record = records.get(provider);
  return record !== undefined && record.isOwnEndpoint !== true && record.isServedHere !== true;
}

/** Models of this provider are told a wrong name, and repeat it. */
export function misreportsModel(provider: string): boolean {
  return records.get(provider.toLowerCase())?.misreportsModel === true;
}
