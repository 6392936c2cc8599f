import type { ProcessEvent } from "#tools";

/** What a background process reports on its own, as words for the session that started it; undefined for what concerns none. */
export function processNotice(event: ProcessEvent): { readonly sessionKey: string; readonly text: string } | undefined {
  switch (event.type) {
    case "completion": {
      const code = event.exit_code === null ? "unknown" : String(event.exit_code);
      const facts = [`[The background process ${event.session_id} has ended]`, `Exit code: ${code}`];
      return { sessionKey: event.session_key, text: lines(facts, event, event.output) };
    }
    case "watch_match": {
      const dropped = event.suppressed === 0 ? [] : [`${event.suppressed} matches before were not reported.`];
      const facts = [
        `[The background process ${event.session_id} printed what is watched for: ${event.pattern}]`,
        "It is still running.",
        ...dropped,
      ];
      return { sessionKey: event.session_key, text: lines(facts, event, event.output) };
    }
    case "watch_disabled": {
      const facts = [
        `[The background process ${event.session_id} printed too much of what is watched for]`,
        `${event.suppressed} matches were not reported, and it is not watched any more. Its end will be.`,
      ];
      return { sessionKey: event.session_key, text: lines(facts, event, "") };
    }
    case "watch_overflow_tripped":
    case "watch_overflow_released":
      return undefined;
  }
}

function lines(facts: readonly string[], event: { readonly command: string }, output: string): string {
  const [head, ...rest] = facts;
  const said = output.trim() === "" ? [] : ["Output:", output.trimEnd()];
  return [head, `Command: ${event.command}`, ...rest, ...said].join("\n");
}
