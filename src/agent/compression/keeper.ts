import type { ContextKeeper, ContextKeeperDeps } from "../context-keeper.ts";
import type { Turn } from "../turn.ts";
import type { Compression } from "./compression.ts";
import { turnSubject } from "./subject.ts";

/** The compression of a conversation, as the turns of its agent use it. */
export function createContextKeeper(compression: Compression): (deps: ContextKeeperDeps) => ContextKeeper {
  return ({ previewRequest }) => {
    const attempts = new WeakMap<Turn, number>();
    return {
      fit: (turn, moment) => compression.fit(turnSubject(turn, previewRequest), moment),
      relieve: (turn) => {
        const attempt = (attempts.get(turn) ?? 0) + 1;
        attempts.set(turn, attempt);
        return compression.relieve(turnSubject(turn, previewRequest), attempt);
      },
    };
  };
}
