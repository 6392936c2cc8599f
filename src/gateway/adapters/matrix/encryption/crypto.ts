import path from "node:path";
import { ensureDir } from "#foundation/files/files";
import { ConnectionError, type ConnectionPorts } from "../../../platform/platform.ts";
import { type Fields, fieldsAt, listAt } from "../../support/fields.ts";
import type { Rest } from "../../support/rest.ts";
import { ServiceError } from "../../support/service-error.ts";
import { KeptDatabases } from "./kept-database.ts";
import { type CryptoLibrary, type CryptoRequest, type EncryptedFile, loadCrypto, type OlmMachine } from "./library.ts";

export interface Device {
  readonly userId: string;
  readonly deviceId: string;
}

const mostRounds = 10;

/** The keys of one device, and what they open and close. One thing at a time; what must last is on disk before it is used. */
export class MatrixCrypto {
  readonly #library: CryptoLibrary;
  readonly #machine: OlmMachine;
  readonly #kept: KeptDatabases;
  readonly #rest: Rest;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(deps: {
    readonly library: CryptoLibrary;
    readonly machine: OlmMachine;
    readonly kept: KeptDatabases;
    readonly rest: Rest;
  }) {
    this.#library = deps.library;
    this.#machine = deps.machine;
    this.#kept = deps.kept;
    this.#rest = deps.rest;
  }

  static async open(
    { folders }: Pick<ConnectionPorts, "folders">,
    { userId, deviceId, rest }: Device & { readonly rest: Rest },
    signal: AbortSignal,
  ): Promise<MatrixCrypto> {
    const library = await loadCrypto(folders.packages, signal);
    const folder = path.join(folders.own, "store");
    await ensureDir(folder, 0o700);
    const name = `${userId}-${deviceId}`.replaceAll(/[^\w.=@-]/gu, "_");
    const kept = new KeptDatabases(path.join(folder, `${name}.keys`));
    await kept.restore();
    const store = await library.StoreHandle.open(kept.name);
    const [user, device] = [new library.UserId(userId), new library.DeviceId(deviceId)];
    const machine = await library.OlmMachine.initFromStore(user, device, store);
    const crypto = new MatrixCrypto({ library, machine, kept, rest });
    await crypto.#alone(() => crypto.#doRequests(signal));
    return crypto;
  }

  /** What a look at the stream says about keys. The position may move afterwards. */
  async takeSync(answer: Fields, signal: AbortSignal): Promise<void> {
    const lists = fieldsAt(answer, "device_lists");
    const users = (name: string) =>
      (Array.isArray(lists[name]) ? lists[name] : []).map((id) => new this.#library.UserId(String(id)));
    const counts = new Map(
      Object.entries(fieldsAt(answer, "device_one_time_keys_count")).map(([name, count]) => [name, Number(count)]),
    );
    const unused = answer["device_unused_fallback_key_types"];
    await this.#alone(async () => {
      await this.#machine.receiveSyncChanges(
        JSON.stringify(listAt(fieldsAt(answer, "to_device"), "events")),
        new this.#library.DeviceLists(users("changed"), users("left")),
        counts,
        Array.isArray(unused) ? new Set(unused.map(String)) : undefined,
      );
      await this.#kept.keep();
      await this.#doRequests(signal);
    });
  }

  /** The event as it was before it was encrypted; undefined while its key is not here. */
  async opened(event: Fields, room: string): Promise<Fields | undefined> {
    const { RoomId, DecryptionSettings, TrustRequirement } = this.#library;
    return await this.#alone(async () => {
      const settings = new DecryptionSettings(TrustRequirement.Untrusted);
      try {
        const { event: text } = await this.#machine.decryptRoomEvent(JSON.stringify(event), new RoomId(room), settings);
        await this.#kept.keep();
        return { ...event, ...(JSON.parse(text) as Fields) };
      } catch {
        return undefined;
      }
    });
  }

  /** The content as only the devices of these users can read it. */
  async closed(
    room: string,
    event: { readonly type: string; readonly content: Fields },
    { userIds, signal }: { readonly userIds: readonly string[]; readonly signal: AbortSignal },
  ): Promise<Fields> {
    const { UserId, RoomId, EncryptionSettings } = this.#library;
    // The library takes such objects for itself, so that each call needs new ones.
    const users = () => userIds.map((id) => new UserId(id));
    return await this.#alone(async () => {
      await this.#machine.updateTrackedUsers(users());
      await this.#doRequests(signal);
      const claim = await this.#machine.getMissingSessions(users());
      if (claim != null) await this.#do(claim, signal);
      for (const share of await this.#machine.shareRoomKey(new RoomId(room), users(), new EncryptionSettings()))
        await this.#do(share, signal);
      const text = await this.#machine.encryptRoomEvent(new RoomId(room), event.type, JSON.stringify(event.content));
      await this.#kept.keep();
      return JSON.parse(text) as Fields;
    });
  }

  closedFile(bytes: Uint8Array): EncryptedFile {
    return this.#library.Attachment.encrypt(bytes);
  }

  async close(): Promise<void> {
    await this.#alone(async () => {
      await this.#kept.keep();
      this.#machine.close();
      await this.#kept.forget();
    });
  }

  async #alone<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(run, run);
    this.#last = mine.catch(() => undefined);
    return await mine;
  }

  /** What the library wants asked and told; the answers may make it want more. */
  async #doRequests(signal: AbortSignal): Promise<void> {
    for (let round = 0; round < mostRounds; round += 1) {
      const requests = await this.#machine.outgoingRequests();
      if (requests.length === 0) return;
      await this.#kept.keep();
      for (const request of requests) await this.#do(request, signal);
    }
  }

  async #do(request: CryptoRequest, signal: AbortSignal): Promise<void> {
    const { path: at, method } = addressOf(request);
    const body = JSON.parse(request.body) as Fields;
    const answer = await this.#rest(at, { method, body, signal }).catch((error: unknown) => {
      if (request.type === 0 && error instanceof ServiceError && error.errorClass === "format")
        throw new ConnectionError(
          "matrix_keys",
          `The server has other keys for this device than the home: ${error.message}. Log the device out, set a new access token, and start again.`,
          { isRetryable: false, cause: error },
        );
      throw error;
    });
    await this.#machine.markRequestAsSent(request.id, request.type, JSON.stringify(answer));
    await this.#kept.keep();
  }
}

function addressOf({ type, event_type: event = "", txn_id: key = "" }: CryptoRequest): {
  readonly path: string;
  readonly method: "POST" | "PUT";
} {
  const calls = ["/keys/upload", "/keys/query", "/keys/claim"];
  const call = calls[type];
  if (call !== undefined) return { path: call, method: "POST" };
  if (type === 3)
    return { path: `/sendToDevice/${encodeURIComponent(event)}/${encodeURIComponent(key)}`, method: "PUT" };
  return { path: "/keys/signatures/upload", method: "POST" };
}
