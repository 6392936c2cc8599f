/** A call that was refused; the message is for the person. */
export class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Api {
  readonly token: string;
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T>;
}

/** Calls of the server this page came from; addresses are relative, so that it works below any path. */
export function createApi(token: string): Api {
  async function call<T>(path: string, init: RequestInit): Promise<T> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`api/${path}`, { ...init, headers });
    const body = (await response.json()) as { readonly error?: string; readonly hint?: string };
    if (response.ok) return body as T;
    const hint = body.hint === undefined ? "" : ` ${body.hint}`;
    throw new CallError(response.status, `${body.error ?? response.statusText}${hint}`);
  }
  return {
    token,
    get: (path, signal) => call(path, { signal: signal ?? null }),
    send: (method, path, body) => call(path, { method, body: body === undefined ? null : JSON.stringify(body) }),
  };
}
