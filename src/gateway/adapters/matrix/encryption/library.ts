import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe } from "#foundation/errors";
import { installPackages } from "#foundation/packages/install";
import { importModule } from "#foundation/process/import-module";
import { ConnectionError } from "../../../platform/platform.ts";
import lock from "./packages.json" with { type: "json" };

/** The part of `@matrix-org/matrix-sdk-crypto-wasm` that is used. Ids are objects of its own. */
export interface CryptoLibrary {
  initAsync(): Promise<void>;
  readonly UserId: new (id: string) => object;
  readonly DeviceId: new (id: string) => object;
  readonly RoomId: new (id: string) => object;
  readonly DeviceLists: new (changed: readonly object[], left: readonly object[]) => object;
  readonly EncryptionSettings: new () => object;
  readonly DecryptionSettings: new (requirement: number) => object;
  readonly TrustRequirement: { readonly Untrusted: number };
  readonly StoreHandle: { open(name: string): Promise<object> };
  readonly OlmMachine: { initFromStore(user: object, device: object, store: object): Promise<OlmMachine> };
  readonly Attachment: { encrypt(bytes: Uint8Array): EncryptedFile };
}

export interface EncryptedFile {
  readonly encryptedData: Uint8Array;
  readonly mediaEncryptionInfo: string | undefined;
}

/** A request that the library wants made for it. */
export interface CryptoRequest {
  readonly id: string;
  /** 0 upload of keys, 1 query, 2 claim, 3 to devices, 4 signatures. */
  readonly type: number;
  readonly body: string;
  readonly event_type?: string;
  readonly txn_id?: string;
}

export interface OlmMachine {
  receiveSyncChanges(
    toDevice: string,
    devices: object,
    counts: Map<string, number>,
    unused?: Set<string>,
  ): Promise<unknown>;
  outgoingRequests(): Promise<readonly CryptoRequest[]>;
  markRequestAsSent(id: string, type: number, answer: string): Promise<unknown>;
  updateTrackedUsers(users: readonly object[]): Promise<void>;
  getMissingSessions(users: readonly object[]): Promise<CryptoRequest | null | undefined>;
  shareRoomKey(room: object, users: readonly object[], settings: object): Promise<readonly CryptoRequest[]>;
  encryptRoomEvent(room: object, type: string, content: string): Promise<string>;
  decryptRoomEvent(event: string, room: object, settings: object): Promise<{ readonly event: string }>;
  close(): void;
}

/** The library and the database it keeps its keys in. It is no part of the installation: 9 MB, for encrypted rooms only. */
export async function loadCrypto(packages: string, signal: AbortSignal): Promise<CryptoLibrary> {
  const folder = path.join(packages, `matrix-crypto-${lock.wanted["@matrix-org/matrix-sdk-crypto-wasm"]}`);
  const about = { folder, what: "Encryption for Matrix", code: "matrix_encryption" };
  const load = async (module: string): Promise<unknown> =>
    await importModule(pathToFileURL(path.join(folder, "node_modules", module)).href);
  try {
    await installPackages(lock, about, signal);
    // The library looks for a browser's database.
    if (!("indexedDB" in globalThis)) await load("fake-indexeddb/auto/index.mjs");
    const library = (await load("@matrix-org/matrix-sdk-crypto-wasm/node.mjs")) as CryptoLibrary;
    await library.initAsync();
    return library;
  } catch (error) {
    // Words meant for an encrypted room never go out in the clear.
    throw new ConnectionError(
      "matrix_encryption",
      `Encryption for Matrix is not available: ${describe(error)} Unset MATRIX_ENCRYPTION to use rooms without it.`,
      { isRetryable: false, cause: error },
    );
  }
}
