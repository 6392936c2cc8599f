import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { CompletionItem } from "./frames.ts";
import { Offers } from "./offers.tsx";
import { useAttachedImages } from "./use-attached-images.ts";
import { useCompletions } from "./use-completions.ts";

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
  const { isBusy } = props;
  const [text, setText] = useState("");
  const { images, attach, clear } = useAttachedImages();
  const completions = useCompletions(props.complete);
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (value: string): void => {
    setText(value);
    completions.follow(value);
  };
  const send = (how: "submit" | "queue"): void => {
    if (text.trim() === "" && images.length === 0) return;
    if (how === "queue") props.onQueue(text);
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
      <Queued texts={props.queued} onUnqueue={props.onUnqueue} />
      <Offers offers={completions.offers} chosen={completions.chosen} onTake={take} />
      {images.length > 0 && (
        <p class="queued">{images.length === 1 ? "1 image" : `${images.length} images`} attached</p>
      )}
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
  onSend(how: "submit" | "queue"): void;
  onStop(): void;
}

function SendButtons({ isBusy, onSend, onStop }: SendButtonsProps): VNode {
  return (
    <>
      {isBusy && (
        <button type="button" class="quiet" onClick={() => onSend("queue")}>
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
