import { watch } from "node:fs";
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isAbort, linkSignals, sleep } from "#foundation/lifecycle/abort";
import { disposable, Scope } from "#foundation/lifecycle/disposal";
import { Secret } from "#foundation/secrets/secret";
import type { Config } from "../config.ts";
import { formatKeyPath, type KeyPath } from "../key-path.ts";
import type { ReloadScope } from "../sections/setting.ts";
import { isPlainRecord, type Tree } from "../tree.ts";
import { type LoadedConfig, type LoadOptions, loadConfig } from "./load.ts";

export interface ConfigChange {
  readonly loaded: LoadedConfig;
  readonly changed: readonly ChangedSetting[];
}

/** Quiet time after which a change is read; editors write a file in several steps. */
const settleMs = 150;

export interface WatchOptions extends LoadOptions {
  readonly signal: AbortSignal;
  onChange(change: ConfigChange): void;
  /** A load that failed; the settings from before stay in use. */
  onError(error: unknown): void;
}

/**
 * Reloads the settings when `config.yaml` or `.env` changes. The folder is watched, not the file, because a
 * save replaces the file. A file that does not parse at the moment is passed over: the settings stay.
 */
export function watchConfig(initial: LoadedConfig, options: WatchOptions): AsyncDisposable {
  const stopped = new AbortController();
  const signal = linkSignals(options.signal, stopped.signal);
  const names = new Set([options.home.config, options.home.envFile].map((path) => basename(path)));
  let current = initial;
  let pending = false;
  let running: Promise<void> = Promise.resolve();

  const reload = async () => {
    await sleep(settleMs, signal);
    pending = false;
    const loaded = await loadConfig(options);
    if (loaded.readFrom === "backup") return;
    const changed = await changedSettings(current.config, loaded.config);
    current = loaded;
    if (changed.length > 0 && !signal.aborted) options.onChange({ loaded, changed });
  };
  const schedule = () => {
    if (pending || signal.aborted) return;
    pending = true;
    running = running.then(reload).catch((error: unknown) => {
      pending = false;
      if (!isAbort(error)) options.onError(error);
    });
  };

  const scope = new Scope();
  const watcher = watch(options.home.root, { signal, persistent: false }, (_event, name) => {
    if (name === null || names.has(name)) schedule();
  });
  watcher.on("error", (error) => {
    if (!signal.aborted) options.onError(error);
  });
  scope.defer(() => running);
  scope.adopt(disposable(() => watcher.close()));
  scope.defer(() => stopped.abort());
  return scope;
}

/** A setting that differs between two loads, and when the new value starts to count. */
export interface ChangedSetting {
  readonly key: string;
  readonly reload: ReloadScope;
}

/** What changed, for a running program to decide what to take over now and what to announce for later. */
export async function changedSettings(before: Config, after: Config): Promise<readonly ChangedSetting[]> {
  const [{ configRoot }, { reloadOf, trail }] = await Promise.all([
    import("../sections/root.ts"),
    import("../lookup.ts"),
  ]);
  return [...differing(before, after, [])].map((path) => ({
    key: formatKeyPath(path),
    reload: reloadOf(trail(configRoot, path) ?? []),
  }));
}

function* differing(before: Tree, after: Tree, path: KeyPath): Generator<KeyPath> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[key], after[key]];
    if (isPlainRecord(old) && isPlainRecord(value)) yield* differing(old, value, [...path, key]);
    else if (!isSame(old, value)) yield [...path, key];
  }
}

function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Secret && right instanceof Secret) return left.equals(right);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  }
  if (isPlainRecord(left) && isPlainRecord(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].every((key) => isSame(left[key], right[key]));
  }
  return isDeepStrictEqual(left, right);
}
