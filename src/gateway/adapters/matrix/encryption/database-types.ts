/** The part of a browser's database that is used to copy one. */
export interface BrowserDatabases {
  deleteDatabase(name: string): unknown;
  databases(): Promise<readonly { readonly name?: string; readonly version?: number }[]>;
  open(name: string, version?: number): DatabaseRequest<OpenDatabase> & { onupgradeneeded: (() => void) | null };
}

export interface DatabaseRequest<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

export interface OpenDatabase {
  readonly version: number;
  readonly objectStoreNames: Iterable<string>;
  createObjectStore(
    name: string,
    options: { readonly keyPath?: KeyPath; readonly autoIncrement: boolean },
  ): ObjectStore;
  transaction(stores: readonly string[], mode: "readonly" | "readwrite"): Transaction;
  close(): void;
}

export interface Transaction {
  objectStore(name: string): ObjectStore;
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}

export type KeyPath = string | string[];

export interface ObjectStore {
  readonly keyPath: KeyPath | null;
  readonly autoIncrement: boolean;
  readonly indexNames: Iterable<string>;
  index(name: string): StoreIndex;
  createIndex(
    name: string,
    keyPath: KeyPath,
    options: { readonly unique: boolean; readonly multiEntry: boolean },
  ): unknown;
  getAll(): DatabaseRequest<unknown[]>;
  getAllKeys(): DatabaseRequest<unknown[]>;
  put(value: unknown, key?: unknown): unknown;
}

export interface StoreIndex {
  readonly name: string;
  readonly keyPath: KeyPath;
  readonly unique: boolean;
  readonly multiEntry: boolean;
}
