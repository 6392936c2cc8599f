import { useCallback, useEffect, useState } from "preact/hooks";
import type { Api } from "./api.ts";

export type Loaded<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "ready"; readonly value: T };

/** What a path of the API answers; read again every so often, and whenever it is asked for. What was there stays until then. */
export function useLoaded<T>(api: Api, path: string, everyMs?: number): readonly [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>({ kind: "loading" });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    api.get<T>(path, gone.signal).then(
      (value) => setState({ kind: "ready", value }),
      (error: unknown) => {
        if (!gone.signal.aborted) setState({ kind: "failed", message: String((error as Error).message) });
      },
    );
    const timer = everyMs === undefined ? undefined : setTimeout(() => setRound((now) => now + 1), everyMs);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [api, path, round, everyMs]);
  return [state, useCallback(() => setRound((now) => now + 1), [])];
}
