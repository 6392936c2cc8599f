import type { CallObserver } from "../contract/call-state.ts";

/**
 * Several observers as one, asked in the order given: the first refusal counts and ends the asking, and
 * changed arguments and results are what the next one sees.
 */
export function combineObservers(...observers: readonly CallObserver[]): Required<CallObserver> {
  return {
    async beforeCall(call, args) {
      let input = args;
      for (const observer of observers) {
        const answer = await observer.beforeCall?.(call, input);
        if (typeof answer === "string") return answer;
        if (answer !== undefined) input = answer.args;
      }
      return input === args ? undefined : { args: input };
    },
    onStart(call, args) {
      for (const observer of observers) observer.onStart?.(call, args);
    },
    onProgress(call, text) {
      for (const observer of observers) observer.onProgress?.(call, text);
    },
    async afterCall(outcome, args) {
      let now = outcome;
      for (const observer of observers) {
        const text = await observer.afterCall?.(now, args);
        if (text !== undefined) now = { ...now, text };
      }
      return now === outcome ? undefined : now.text;
    },
    onEnd(outcome) {
      for (const observer of observers) observer.onEnd?.(outcome);
    },
  };
}
