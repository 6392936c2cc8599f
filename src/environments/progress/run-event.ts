import { type AgentEvent, totalTokens } from "#conversation";

/** What happens in a run, one fact at a time, in the names other programs read. */
export type RunEvent =
  | {
      readonly event: "run_started";
      readonly env: string;
      readonly what: string;
      readonly model: string;
      readonly run_id: string;
      /** How many items there will be, where that is known. */
      readonly total: number | null;
    }
  | { readonly event: "item_started"; readonly item: string }
  | {
      readonly event: "turn";
      readonly item: string;
      readonly turn: number;
      readonly api_ms: number;
      readonly tokens: number;
      readonly cost_usd: number;
    }
  | {
      readonly event: "tool";
      readonly item: string;
      readonly name: string;
      readonly ms: number;
      readonly ok: boolean;
      readonly preview: string;
    }
  | {
      readonly event: "item_finished";
      readonly item: string;
      readonly reward: number;
      readonly passed: boolean;
      readonly error: string | null;
    }
  | { readonly event: "group_sent"; readonly group: string; readonly scores: readonly number[] }
  | { readonly event: "metrics"; readonly metrics: Readonly<Record<string, number>> }
  | { readonly event: "run_finished"; readonly is_stopped: boolean };

export type TellRun = (event: RunEvent) => void;

/** Tells of the turns and tools of one rollout, from what its agent says. */
export function rolloutTeller(
  item: string,
  { tell, now, redact }: { readonly tell: TellRun; now(): number; redact(text: string): string },
): (event: AgentEvent) => void {
  let turn = 0;
  let startedMs = 0;
  let counted = { tokens: 0, cost_usd: 0 };
  const previews = new Map<string, string>();
  return (event) => {
    switch (event.type) {
      case "attempt-start":
        turn += 1;
        startedMs = now();
        counted = { tokens: 0, cost_usd: 0 };
        return;
      case "usage":
        counted = { tokens: totalTokens(event.usage), cost_usd: event.cost.usd ?? 0 };
        return;
      case "attempt-end":
        return tell({ event: "turn", item, turn, api_ms: now() - startedMs, ...counted });
      case "tool-start":
        previews.set(event.callId, event.preview);
        return;
      case "tool-end": {
        const { callId, name, durationMs: ms, isError } = event;
        const preview = redact(previews.get(callId) ?? event.preview);
        previews.delete(callId);
        return tell({ event: "tool", item, name, ms, ok: !isError, preview });
      }
      default:
        return;
    }
  };
}
