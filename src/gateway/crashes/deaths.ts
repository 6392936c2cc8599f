import { isRecord } from "#foundation/text/json";
import { type Aggregates, isLeft } from "#store";
import { registrations } from "../rights/registration.ts";

/** A program that served chats and ended without a word: it was killed, or it crashed. */
export interface Death {
  readonly owner: string;
  /** When it was found. */
  readonly atMs: number;
}

const [kind, key] = ["gateway-deaths", "workers"];
const mostRemembered = 100;

/** Those that are known, with those that are found now; each is found once. */
export async function deaths(tx: Pick<Aggregates, "leases" | "documents">, nowMs: number): Promise<readonly Death[]> {
  const known = readDeaths((await tx.documents.get(kind, key))?.value);
  const gone = (await tx.leases.kept(registrations("worker"))).filter((lease) => isLeft(lease, nowMs));
  if (gone.length === 0) return known;
  for (const lease of gone) await tx.leases.release(lease);
  const all = [...known, ...gone.map(({ owner }) => ({ owner, atMs: nowMs }))].slice(-mostRemembered);
  await tx.documents.put({ kind, key, value: all });
  return all;
}

function readDeaths(value: unknown): readonly Death[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one: unknown): one is Death =>
      isRecord(one) && typeof one["owner"] === "string" && typeof one["atMs"] === "number",
  );
}
