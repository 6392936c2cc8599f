import { useCallback, useEffect, useState } from "preact/hooks";
import { type Api, AwayError } from "./api.tsx";

export type Loaded<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  /** `problem`: why it could not be read again; empty while all is well. */
  | { readonly kind: "ready"; readonly value: T; readonly problem: string };

const awayMs = 2000;

/**
 * What a path of the API answers; read again every so often, and whenever it is asked for. What was there stays until then, also while
 * nobody answers, which is tried again by itself.
 */
export function useLoaded<T>(api: Api, path: string, everyMs?: number): readonly [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>({ kind: "loading" });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (ms: number | undefined): void => {
      if (ms !== undefined) timer = setTimeout(() => setRound((now) => now + 1), ms);
    };
    api.get<T>(path, gone.signal).then(
      (value) => {
        if (gone.signal.aborted) return;
        setState({ kind: "ready", value, problem: "" });
        later(everyMs);
      },
      (error: Error) => {
        if (gone.signal.aborted) return;
        const isAway = error instanceof AwayError;
        setState((now) => (isAway && now.kind === "ready" ? { ...now, problem: error.message } : failed(error)));
        later(isAway ? awayMs : everyMs);
      },
    );
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [api, path, round, everyMs]);
  return [state, useCallback(() => setRound((now) => now + 1), [])];
}

const failed = ({ message }: Error) => ({ kind: "failed", message }) as const;
