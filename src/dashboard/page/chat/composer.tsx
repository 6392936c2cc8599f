import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { CompletionItem } from "./frames.ts";

export interface ComposerProps {
  readonly isBusy: boolean;
  readonly queued: readonly string[];
  onSubmit(text: string, images: readonly string[]): void;
  onQueue(text: string): void;
  onUnqueue(index: number): void;
  onStop(): void;
  complete(line: string, onReady: (items: readonly CompletionItem[]) => void): void;
}

/** Where the person writes. Enter sends, Shift-Enter begins a line, Tab takes a completion, Escape stops. */
export function Composer(props: ComposerProps): VNode {
  const { isBusy, queued } = props;
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly string[]>([]);
  const [offers, setOffers] = useState<readonly CompletionItem[]>([]);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (value: string): void => {
    setText(value);
    setOffers([]);
    setChosen(0);
    if (/^\/[^\n]*$|@\S*$/.test(value)) props.complete(value, (items) => setOffers(items.slice(0, 8)));
  };
  const send = (how: "submit" | "queue"): void => {
    if (text.trim() === "" && images.length === 0) return;
    if (how === "queue") props.onQueue(text);
    else props.onSubmit(text, images);
    setImages([]);
    change("");
  };
  const take = (offer: CompletionItem | undefined): void => {
    if (offer !== undefined) change(text.slice(0, offer.from) + offer.text);
    field.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) send("submit");
    else if (event.key === "Tab" && offers.length > 0 && !event.shiftKey) take(offers[chosen]);
    else if (event.key === "ArrowDown" && offers.length > 0) setChosen((chosen + 1) % offers.length);
    else if (event.key === "ArrowUp" && offers.length > 0) setChosen((chosen + offers.length - 1) % offers.length);
    else if (event.key === "Escape" && offers.length > 0) setOffers([]);
    else if (event.key === "Escape" && isBusy) props.onStop();
    else return;
    event.preventDefault();
  };
  const attach = (files: FileList | null | undefined): void => {
    for (const file of files ?? []) {
      if (!file.type.startsWith("image/")) continue;
      const reader = new FileReader();
      reader.onload = () => setImages((before) => [...before, String(reader.result)]);
      reader.readAsDataURL(file);
    }
  };
  return (
    <div class="composer">
      {queued.map((waiting, index) => (
        <p class="queued" key={`${index}-${waiting}`}>
          <span>Queued: {waiting}</span>
          <button type="button" class="quiet" onClick={() => props.onUnqueue(index)}>
            Take back
          </button>
        </p>
      ))}
      {offers.length > 0 && (
        <div class="offers" id="offers" role="listbox" aria-label="Completions">
          {offers.map((offer, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above it
            <div
              key={offer.label}
              id={`offer-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => take(offer)}
            >
              <strong>{offer.label}</strong> <small>{offer.detail}</small>
            </div>
          ))}
        </div>
      )}
      {images.length > 0 && <p class="queued">{images.length} image(s) attached</p>}
      <div class="line">
        <textarea
          ref={field}
          rows={Math.min(8, text.split("\n").length)}
          aria-label="Message"
          aria-controls={offers.length > 0 ? "offers" : undefined}
          placeholder="Message, or / for commands"
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={press}
          onPaste={(event) => attach(event.clipboardData?.files)}
        />
        <label class="attach">
          <span class="unseen">Attach images</span>
          <span aria-hidden="true">📎</span>
          <input
            class="unseen"
            type="file"
            accept="image/*"
            multiple
            onChange={(event) => attach(event.currentTarget.files)}
          />
        </label>
        {isBusy && (
          <button type="button" class="quiet" onClick={() => send("queue")}>
            Queue
          </button>
        )}
        {isBusy && (
          <button type="button" class="deny" onClick={() => props.onStop()}>
            Stop
          </button>
        )}
        <button type="button" onClick={() => send("submit")}>
          Send
        </button>
      </div>
    </div>
  );
}
