import type { PersonRequest, SessionFacts, View } from "./frames.tsx";

export interface ToolItem {
  readonly kind: "tool";
  readonly id: string;
  readonly name: string;
  readonly preview: string;
  readonly input: string;
  readonly output: string;
  readonly diff?: string | undefined;
  readonly state: "running" | "done" | "failed" | "cut";
  readonly durationMs?: number | undefined;
}

/** One thing in the column of the conversation. */
export type Item =
  | { readonly kind: "user"; readonly id: string; readonly text: string; readonly images: readonly string[] }
  | {
      readonly kind: "assistant";
      readonly id: string;
      readonly text: string;
      readonly reasoning: string;
      readonly isOpen: boolean;
    }
  | ToolItem
  | {
      readonly kind: "notice";
      readonly id: string;
      readonly level: "info" | "warn" | "error";
      readonly text: string;
      /** About attempts that failed: the next one takes its place. */
      readonly isAttempt?: boolean;
    }
  | { readonly kind: "view"; readonly id: string; readonly view: View };

export interface SentImages {
  readonly text: string;
  readonly images: readonly string[];
}

export interface Conversation {
  readonly items: readonly Item[];
  readonly info: SessionFacts | undefined;
  readonly earlier: number;
  readonly isBusy: boolean;
  readonly requests: readonly PersonRequest[];
  readonly queued: readonly string[];
  /** Images that were sent with words which are not admitted yet. */
  readonly sending: readonly SentImages[];
  /** The number of the last event that is in here. */
  readonly seq: number | undefined;
  /** For ids of items that have none of their own. */
  readonly made: number;
}

export const emptyConversation: Conversation = {
  items: [],
  info: undefined,
  earlier: 0,
  isBusy: false,
  requests: [],
  queued: [],
  sending: [],
  seq: undefined,
  made: 0,
};

/** The requests without this one. */
export const without = (requests: readonly PersonRequest[], id: string): readonly PersonRequest[] =>
  requests.filter((one) => one.id !== id);

/** One more thing at the end of the column. */
export function add(state: Conversation, make: (id: string) => Item): Conversation {
  return { ...state, made: state.made + 1, items: [...state.items, make(`made-${state.made}`)] };
}
