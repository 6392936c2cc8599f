import { Access } from "./access.ts";

/** A call that was refused; the message is for the person. */
class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Api {
  readonly access: Access;
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T>;
}

/** Calls of the server this page came from; addresses are relative, so that it works below any path. */
export function createApi(token: string): Api {
  const access = new Access(token);
  const fetchOnce = (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${access.token}`, "content-type": "application/json" };
    return fetch(`api/${path}`, { ...init, headers });
  };
  async function call<T>(path: string, init: RequestInit): Promise<T> {
    let response = await fetchOnce(path, init);
    if (response.status === 401) {
      await access.comeBack();
      response = await fetchOnce(path, init);
    }
    const body = (await response.json()) as { readonly error?: string; readonly hint?: string };
    if (response.ok) return body as T;
    const hint = body.hint === undefined ? "" : ` ${body.hint}`;
    throw new CallError(response.status, `${body.error ?? response.statusText}${hint}`);
  }
  return {
    access,
    get: (path, signal) => call(path, { signal: signal ?? null }),
    send: (method, path, body) => call(path, { method, body: body === undefined ? null : JSON.stringify(body) }),
  };
}
