import { watch } from "node:fs";
import { basename } from "node:path";
import { isAbort, linkSignals, sleep } from "#foundation/lifecycle/abort";
import { disposable, Scope } from "#foundation/lifecycle/disposal";
import { type LoadedConfig, type LoadOptions, loadConfig } from "./load.ts";
import { type ChangedSetting, changedSettings } from "./reload.ts";

export interface ConfigChange {
  readonly loaded: LoadedConfig;
  readonly changed: readonly ChangedSetting[];
}

export interface WatchOptions extends LoadOptions {
  readonly signal: AbortSignal;
  onChange(change: ConfigChange): void;
  /** A load that failed; the settings from before stay in use. */
  onError(error: unknown): void;
  /** Quiet time after which a change is read; editors write a file in several steps. */
  readonly settleMs?: number;
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
    await sleep(options.settleMs ?? 150, signal);
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
