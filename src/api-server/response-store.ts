import type { Message } from "#conversation";
import type { Store } from "#store";
import type { Caller } from "./callers.ts";
import type { ResponseObject } from "./streams/response-builder.ts";

/** A response with what is needed to go on from it. */
export interface KeptResponse {
  readonly response: ResponseObject;
  /** The whole conversation after it, calls and results included. */
  readonly messages: readonly Message[];
  readonly instructions: string | null;
  readonly owner: string;
  /** The conversation it belongs to, where the client named one. */
  readonly conversation: string | null;
}

const responses = "api.response";
const conversations = "api.conversation";

/** Responses of callers, the newest so many; each caller sees their own. */
export class ResponseStore {
  readonly #store: Store;
  readonly #most: number;

  constructor(store: Store, most: number) {
    this.#store = store;
    this.#most = most;
  }

  async get(id: string, caller: Caller): Promise<KeptResponse | undefined> {
    const found = (await this.#store.documents.get(responses, id))?.value as KeptResponse | undefined;
    return found?.owner === caller.name ? found : undefined;
  }

  /** The newest response of a conversation. */
  async newestOf(conversation: string, caller: Caller): Promise<KeptResponse | undefined> {
    const pointer = await this.#store.documents.get(conversations, pointerKey(conversation, caller));
    return typeof pointer?.value === "string" ? await this.get(pointer.value, caller) : undefined;
  }

  async put(kept: KeptResponse, caller: Caller): Promise<void> {
    const { id } = kept.response;
    await this.#store.transaction(async (tx) => {
      await tx.documents.put({ kind: responses, key: id, value: kept });
      if (kept.conversation !== null)
        await tx.documents.put({ kind: conversations, key: pointerKey(kept.conversation, caller), value: id });
      await tx.documents.trim(responses, this.#most);
      await tx.documents.trim(conversations, this.#most);
    });
  }

  async remove(id: string, caller: Caller): Promise<boolean> {
    const found = await this.get(id, caller);
    if (found === undefined) return false;
    return await this.#store.transaction(async (tx) => {
      const key = found.conversation === null ? undefined : pointerKey(found.conversation, caller);
      if (key !== undefined && (await tx.documents.get(conversations, key))?.value === id)
        await tx.documents.remove(conversations, key);
      return await tx.documents.remove(responses, id);
    });
  }
}

function pointerKey(conversation: string, { name }: Caller): string {
  return `${name}:${conversation}`;
}
