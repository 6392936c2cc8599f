import { useState } from "preact/hooks";
import type { CompletionItem } from "./frames.tsx";

export interface Completions {
  readonly offers: readonly CompletionItem[];
  readonly chosen: number;
  /** The line has changed. */
  follow(line: string): void;
  /** True when the key was meant for the list; then nobody else acts on it. */
  press(event: KeyboardEvent, take: (offer: CompletionItem | undefined) => void): boolean;
}

const mostOffers = 8;

/** What the line could become, and which of it is chosen. */
export function useCompletions(
  complete: (line: string, onReady: (items: readonly CompletionItem[]) => void) => void,
): Completions {
  const [offers, setOffers] = useState<readonly CompletionItem[]>([]);
  const [chosen, setChosen] = useState(0);
  const follow = (line: string): void => {
    setOffers([]);
    setChosen(0);
    if (/^\/[^\n]*$|@\S*$/.test(line)) complete(line, (items) => setOffers(items.slice(0, mostOffers)));
  };
  const press = (event: KeyboardEvent, take: (offer: CompletionItem | undefined) => void): boolean => {
    if (offers.length === 0) return false;
    if (event.key === "Tab" && !event.shiftKey) take(offers[chosen]);
    else if (event.key === "ArrowDown") setChosen((chosen + 1) % offers.length);
    else if (event.key === "ArrowUp") setChosen((chosen + offers.length - 1) % offers.length);
    else if (event.key === "Escape") setOffers([]);
    else return false;
    event.preventDefault();
    return true;
  };
  return { offers, chosen, follow, press };
}
