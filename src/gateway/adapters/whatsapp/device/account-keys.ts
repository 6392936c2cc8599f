import { isRecord } from "#foundation/text/json";
import type { Fields } from "../../support/fields.ts";
import type { DeviceStore } from "./device-store.ts";
import type { Baileys } from "./library.ts";

const own = "creds";

/** The keys of the account as Baileys wants them: who the device is, and the state of every conversation's encryption. */
export function accountKeys(store: DeviceStore, { initAuthCreds, BufferJSON, proto }: Baileys) {
  const write = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);
  const read = (text: string): unknown => JSON.parse(text, BufferJSON.reviver);
  const nameOf = (type: string, id: string): string => `${type}:${id}`;
  const kept = store.secret(own);
  const known = kept === undefined ? undefined : read(kept);
  const creds: Fields = isRecord(known) ? known : initAuthCreds();
  return {
    state: {
      creds,
      keys: {
        get(type: string, ids: readonly string[]): Fields {
          const found = ids.flatMap((id) => {
            const text = store.secret(nameOf(type, id));
            if (text === undefined) return [];
            const value = read(text);
            const isSyncKey = type === "app-state-sync-key" && isRecord(value);
            return [[id, isSyncKey ? proto.Message.AppStateSyncKeyData.fromObject(value) : value] as const];
          });
          return Object.fromEntries(found);
        },
        set(data: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>): void {
          const changes = Object.entries(data).flatMap(([type, values = {}]) =>
            Object.entries(values).map(
              ([id, value]) =>
                [nameOf(type, id), value === null || value === undefined ? undefined : write(value)] as const,
            ),
          );
          store.setSecrets(new Map(changes));
        },
      },
    },
    /** Baileys changes the object it was given, and says so. */
    save: () => store.setSecrets(new Map([[own, write(creds)]])),
  };
}
