import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { CompletionItem } from "./frames.tsx";
import { Offers } from "./offers.tsx";
import { useAttachedImages } from "./use-attached-images.tsx";
import { useCompletions } from "./use-completions.tsx";

export interface ComposerProps {
  readonly isBusy: boolean;
  readonly queued: readonly string[];
  onSubmit(text: string, images: readonly string[]): void;
  onQueue(text: string): void;
  onSteer(text: string): void;
  /** `onTaken` gets the words that waited. */
  onUnqueue(index: number, onTaken: (text: string) => void): void;
  onStop(): void;
  complete(line: string, onReady: (items: readonly CompletionItem[]) => void): void;
}

/** As a message of its own, after the turn that runs, or into it. */
type SendHow = "submit" | "queue" | "steer";

/** Where the person writes. Enter sends, Shift-Enter begins a line, Tab takes a completion, Escape stops. */
export function Composer(props: ComposerProps): VNode {
  const { isBusy } = props;
  const [text, setText] = useState("");
  const { images, attach, remove, clear } = useAttachedImages();
  const completions = useCompletions(props.complete);
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (value: string): void => {
    setText(value);
    completions.follow(value);
  };
  const send = (how: SendHow): void => {
    if (text.trim() === "" && (how !== "submit" || images.length === 0)) return;
    if (how === "queue") props.onQueue(text);
    else if (how === "steer") props.onSteer(text);
    else props.onSubmit(text, images);
    clear();
    change("");
  };
  const take = (offer: CompletionItem | undefined): void => {
    if (offer !== undefined) change(text.slice(0, offer.from) + offer.text);
    field.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) send("submit");
    else if (completions.press(event, take)) return;
    else if (event.key === "Escape" && isBusy) props.onStop();
    else return;
    event.preventDefault();
  };
  return (
    <div class="composer">
      <Queued texts={props.queued} onUnqueue={(index) => props.onUnqueue(index, change)} />
      <Offers offers={completions.offers} chosen={completions.chosen} onTake={take} />
      <Attached images={images} onRemove={remove} />
      <div class="line">
        <textarea
          ref={field}
          rows={Math.min(8, text.split("\n").length)}
          aria-label="Message"
          aria-controls={completions.offers.length > 0 ? "offers" : undefined}
          placeholder="Message, or / for commands"
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={press}
          onPaste={(event) => attach(event.clipboardData?.files)}
        />
        <AttachButton onFiles={attach} />
        <SendButtons isBusy={isBusy} onSend={send} onStop={props.onStop} />
      </div>
    </div>
  );
}

/** What goes with the next message. */
function Attached({ images, onRemove }: { readonly images: readonly string[]; onRemove(index: number): void }): VNode {
  return (
    <ul class="attached" aria-label="Attached images" hidden={images.length === 0}>
      {images.map((source, index) => (
        <li key={`${index}-${source.length}`}>
          <img src={source} alt={`attached ${index + 1}`} />
          <button type="button" class="quiet" aria-label={`Remove image ${index + 1}`} onClick={() => onRemove(index)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What is sent when the turn is over. */
function Queued({ texts, onUnqueue }: { readonly texts: readonly string[]; onUnqueue(index: number): void }): VNode {
  return (
    <>
      {texts.map((waiting, index) => (
        <p class="queued" key={`${index}-${waiting}`}>
          <span>Queued: {waiting}</span>
          <button type="button" class="quiet" onClick={() => onUnqueue(index)}>
            Take back
          </button>
        </p>
      ))}
    </>
  );
}

function AttachButton({ onFiles }: { onFiles(files: FileList | null): void }): VNode {
  return (
    <label class="attach">
      <span class="unseen">Attach images</span>
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path
          fill="none"
          stroke="currentColor"
          stroke-width="2"
          stroke-linecap="round"
          d="m21 12-8.5 8.5a5.5 5.5 0 0 1-8-8L13 4a3.7 3.7 0 0 1 5.3 5.3l-8.5 8.5a1.8 1.8 0 0 1-2.6-2.6L15 7.5"
        />
      </svg>
      <input
        class="unseen"
        type="file"
        accept="image/*"
        multiple
        onChange={(event) => onFiles(event.currentTarget.files)}
      />
    </label>
  );
}

interface SendButtonsProps {
  readonly isBusy: boolean;
  onSend(how: SendHow): void;
  onStop(): void;
}

function SendButtons({ isBusy, onSend, onStop }: SendButtonsProps): VNode {
  return (
    <>
      {isBusy && (
        <button type="button" class="quiet" title="Add to the running turn" onClick={() => onSend("steer")}>
          Steer
        </button>
      )}
      {isBusy && (
        <button type="button" class="quiet" title="Send when the turn is over" onClick={() => onSend("queue")}>
          Queue
        </button>
      )}
      {isBusy && (
        <button type="button" class="deny" onClick={() => onStop()}>
          Stop
        </button>
      )}
      <button type="button" onClick={() => onSend("submit")}>
        Send
      </button>
    </>
  );
}
