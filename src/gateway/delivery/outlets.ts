import type { Outlet } from "./outlet.ts";

/** The accounts that this process is connected with. */
export class Outlets {
  readonly #open = new Map<string, Outlet>();

  get size(): number {
    return this.#open.size;
  }

  of(platform: string, account: string): Outlet | undefined {
    return this.#open.get(`${platform}:${account}`);
  }

  add(outlet: Outlet): Disposable {
    const key = `${outlet.platform.id}:${outlet.connection.account.id}`;
    this.#open.set(key, outlet);
    return {
      [Symbol.dispose]: () => {
        if (this.#open.get(key) === outlet) this.#open.delete(key);
      },
    };
  }
}
