import { type Fields, fieldsAt } from "../../support/fields.ts";
import { Latest } from "../../support/latest.ts";
import type { Rest } from "../../support/rest.ts";
import { ServiceError } from "../../support/service-error.ts";
import { putEvent } from "../put-event.ts";
import type { MatrixCrypto } from "./crypto.ts";

const rememberedRooms = 1_000;

/** Knows which rooms are encrypted: what goes there never goes in the clear. */
export class EncryptedRooms {
  readonly #rest: Rest;
  readonly #crypto: MatrixCrypto | undefined;
  readonly #isEncrypted = new Latest<boolean>(rememberedRooms);

  constructor(rest: Rest, crypto: MatrixCrypto | undefined) {
    this.#rest = rest;
    this.#crypto = crypto;
  }

  /** The stream said so; there is no way back. */
  note(room: string): void {
    this.#isEncrypted.set(room, true);
  }

  async has(room: string, signal: AbortSignal): Promise<boolean> {
    const known = this.#isEncrypted.get(room);
    if (known !== undefined) return known;
    const at = `/rooms/${encodeURIComponent(room)}/state/m.room.encryption`;
    const found = await this.#rest(at, { signal }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ServiceError && error.errorClass === "not-found") return false;
        throw error;
      },
    );
    this.#isEncrypted.set(room, found);
    return found;
  }

  /** Sends a message as the room wants it. */
  async put(
    room: string,
    { key, content }: { readonly key: string; readonly content: Fields },
    signal: AbortSignal,
  ): Promise<string> {
    const at = { rest: this.#rest, signal };
    if (!(await this.has(room, signal))) return await putEvent(room, { type: "m.room.message", key, content }, at);
    const userIds = await this.#usersIn(room, signal);
    const closed = await this.#needed().closed(room, { type: "m.room.message", content }, { userIds, signal });
    return await putEvent(room, { type: "m.room.encrypted", key, content: closed }, at);
  }

  /** A file as it may be put into the server's store, and the key that goes with the message; undefined for open rooms. */
  async closedFile(
    room: string,
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Buffer; readonly key: Fields } | undefined> {
    if (!(await this.has(room, signal))) return undefined;
    const { encryptedData, mediaEncryptionInfo = "{}" } = this.#needed().closedFile(bytes);
    return { bytes: Buffer.from(encryptedData), key: JSON.parse(mediaEncryptionInfo) as Fields };
  }

  #needed(): MatrixCrypto {
    if (this.#crypto !== undefined) return this.#crypto;
    throw new ServiceError({
      errorClass: "permission",
      message: "the room is encrypted, and Hermes writes nothing in the clear there: set MATRIX_ENCRYPTION=true",
    });
  }

  async #usersIn(room: string, signal: AbortSignal): Promise<readonly string[]> {
    const answer = await this.#rest(`/rooms/${encodeURIComponent(room)}/joined_members`, { signal });
    return Object.keys(fieldsAt(answer, "joined"));
  }
}
