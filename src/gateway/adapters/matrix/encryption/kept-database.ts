import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import { writeFileAtomic } from "#foundation/files/files";
import type { BrowserDatabases, DatabaseRequest, KeyPath, OpenDatabase, StoreIndex } from "./database-types.ts";

interface KeptStore {
  readonly name: string;
  readonly keyPath: KeyPath | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly Pick<StoreIndex, "name" | "keyPath" | "unique" | "multiEntry">[];
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];
}

interface KeptDatabase {
  /** What follows the name of the store. */
  readonly ending: string;
  readonly version: number;
  readonly stores: readonly KeptStore[];
}

/**
 * The library keeps its keys in a browser's database, which here lives in memory. All of it is one file in the home,
 * written anew, whole, before anything that depends on it leaves.
 */
export class KeptDatabases {
  readonly #file: string;
  /** What the library calls its store: another name each time, for what an ended connection left cannot be taken away. */
  readonly name = `hermes-${randomUUID()}`;
  readonly #databases: BrowserDatabases;
  #written: Buffer | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#databases = (globalThis as unknown as { readonly indexedDB: BrowserDatabases }).indexedDB;
  }

  /** Brings back what was kept. Nothing is there on the first start. */
  async restore(): Promise<void> {
    const bytes = await readFile(this.#file).catch((error: unknown) => {
      if ((error as { readonly code?: string }).code === "ENOENT") return undefined;
      throw error;
    });
    if (bytes === undefined) return;
    for (const database of deserialize(bytes) as readonly KeptDatabase[]) await this.#fill(database);
    this.#written = bytes;
  }

  async keep(): Promise<void> {
    const kept: KeptDatabase[] = [];
    for (const ending of await this.#endings()) kept.push(await this.#copy(ending));
    const bytes = serialize(kept);
    if (this.#written?.equals(bytes) === true) return;
    await writeFileAtomic(this.#file, bytes, { mode: 0o600 });
    this.#written = bytes;
  }

  /** Gives the memory back, as soon as the library lets go of it. */
  async forget(): Promise<void> {
    for (const ending of await this.#endings()) this.#databases.deleteDatabase(`${this.name}${ending}`);
  }

  async #endings(): Promise<readonly string[]> {
    const names = (await this.#databases.databases()).map(({ name = "" }) => name);
    return names.flatMap((name) => (name.startsWith(this.name) ? [name.slice(this.name.length)] : [])).sort();
  }

  async #copy(ending: string): Promise<KeptDatabase> {
    const database = await done(this.#databases.open(`${this.name}${ending}`));
    try {
      return { ending, version: database.version, stores: await storesOf(database) };
    } finally {
      database.close();
    }
  }

  async #fill({ ending, version, stores }: KeptDatabase): Promise<void> {
    const request = this.#databases.open(`${this.name}${ending}`, version);
    request.onupgradeneeded = () => {
      for (const { name: store, keyPath, autoIncrement, indexes } of stores) {
        const made = request.result.createObjectStore(store, {
          autoIncrement,
          ...(keyPath === null ? {} : { keyPath }),
        });
        for (const { name: index, keyPath: on, unique, multiEntry } of indexes)
          made.createIndex(index, on, { unique, multiEntry });
      }
    };
    const database = await done(request);
    try {
      if (stores.length > 0) await fillStores(database, stores);
    } finally {
      database.close();
    }
  }
}

/** All stores in one transaction, so that they belong together. */
async function storesOf(database: OpenDatabase): Promise<readonly KeptStore[]> {
  const names = [...database.objectStoreNames];
  if (names.length === 0) return [];
  const transaction = database.transaction(names, "readonly");
  return await Promise.all(
    names.map(async (name) => {
      const store = transaction.objectStore(name);
      const indexes = [...store.indexNames].map((index) => {
        const { keyPath, unique, multiEntry } = store.index(index);
        return { name: index, keyPath, unique, multiEntry };
      });
      const { keyPath, autoIncrement } = store;
      const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
      return { name, keyPath, autoIncrement, indexes, keys, values };
    }),
  );
}

async function fillStores(database: OpenDatabase, stores: readonly KeptStore[]): Promise<void> {
  const transaction = database.transaction(
    stores.map(({ name }) => name),
    "readwrite",
  );
  const filled = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(new Error(`the keys could not be read: ${String(transaction.error)}`));
  });
  for (const { name, keyPath, keys, values } of stores) {
    const store = transaction.objectStore(name);
    for (const [index, value] of values.entries())
      if (keyPath === null) store.put(value, keys[index]);
      else store.put(value);
  }
  await filled;
}

async function done<T>(request: DatabaseRequest<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error(`the keys could not be kept: ${String(request.error)}`));
  });
}
