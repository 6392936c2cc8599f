import { Access, LockedError } from "./access.tsx";

/** A call that was refused; the message is for the person. */
class CallError extends Error {}

/** Nobody answers: the program is away, or the way to it. */
export class AwayError extends Error {}

const away = (cause: unknown): AwayError => new AwayError("Hermes does not answer. Trying again…", { cause });

export interface Api {
  readonly access: Access;
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** What is no JSON: an image. */
  blob(path: string, signal: AbortSignal): Promise<Blob>;
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T>;
}

/** Calls of the server this page came from; addresses are relative, so that it works below any path. */
export function createApi(token: string): Api {
  const access = new Access(token);
  const fetchOnce = (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${access.token}`, "content-type": "application/json" };
    return fetch(`api/${path}`, { ...init, headers }).catch((error: unknown) => {
      if (init.signal?.aborted === true) throw error;
      throw away(error);
    });
  };
  async function respond(path: string, init: RequestInit): Promise<Response> {
    const response = await fetchOnce(path, init);
    if (response.status !== 401) return response;
    await access.comeBack().catch((error: unknown) => {
      throw error instanceof LockedError ? error : away(error);
    });
    return await fetchOnce(path, init);
  }
  async function call<T>(path: string, init: RequestInit): Promise<T> {
    const response = await respond(path, init);
    const body = (await response.json().catch((error: unknown) => {
      if (response.ok) throw error;
      // What stands between may refuse in words of its own.
      return {};
    })) as { readonly error?: string; readonly hint?: string };
    if (response.ok) return body as T;
    const hint = body.hint === undefined ? "" : ` ${body.hint}`;
    throw new CallError(`${body.error ?? response.statusText}${hint}`);
  }
  return {
    access,
    get: (path, signal) => call(path, { signal: signal ?? null }),
    blob: async (path, signal) => {
      const response = await respond(path, { signal });
      if (!response.ok) throw new CallError("This image cannot be read.");
      return await response.blob();
    },
    send: (method, path, body) => call(path, { method, body: body === undefined ? null : JSON.stringify(body) }),
  };
}
