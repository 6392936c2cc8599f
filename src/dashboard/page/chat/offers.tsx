import type { VNode } from "preact";
import type { CompletionItem } from "./frames.tsx";

export interface OffersProps {
  readonly offers: readonly CompletionItem[];
  readonly chosen: number;
  onTake(offer: CompletionItem): void;
}

/** What the line could become. */
export function Offers({ offers, chosen, onTake }: OffersProps): VNode | null {
  if (offers.length === 0) return null;
  return (
    <div class="offers" id="offers" role="listbox" aria-label="Completions">
      {offers.map((offer, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field below it
        <div
          key={offer.label}
          id={`offer-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onTake(offer)}
        >
          <strong>{offer.label}</strong> <small>{offer.detail}</small>
        </div>
      ))}
    </div>
  );
}
