import { parseJson } from "#foundation/text/json";
import { DeltaTemplate } from "./delta-template.ts";

/** What one kind of delta says: its text and, for kinds that have several open at once, which one it belongs to. */
export interface PlainDelta {
  readonly text: string;
  readonly index?: number;
}

export interface DeltaKind {
  /** The JSON field that holds the text. */
  readonly key: string;
  /** The delta of a parsed frame that holds this and nothing else. */
  read(frame: unknown): PlainDelta | undefined;
  /** What the slow way would do with it. */
  apply(delta: PlainDelta): void;
}

interface Learned {
  readonly kind: DeltaKind;
  readonly template: DeltaTemplate;
  index: number | undefined;
}

/** Recognises the frames that make up most of a stream without parsing them. Never more than a shortcut. */
export class FastDeltas {
  readonly #kinds: readonly Learned[];
  #last: Learned | undefined;

  constructor(kinds: readonly DeltaKind[]) {
    this.#kinds = kinds.map((kind) => ({
      kind,
      template: new DeltaTemplate(kind.key, (frame) => {
        const parsed = parseJson(frame);
        return parsed.ok ? kind.read(parsed.value)?.text : undefined;
      }),
      index: undefined,
    }));
  }

  /** True when the frame was recognised and is done with. */
  take(frame: string): boolean {
    if (this.#last !== undefined && this.#try(this.#last, frame)) return true;
    for (const one of this.#kinds) if (one !== this.#last && this.#try(one, frame)) return true;
    return false;
  }

  /** A frame that was not recognised, once it has been parsed and handled. */
  learn(frame: string, value: unknown): void {
    for (const one of this.#kinds) {
      const delta = one.kind.read(value);
      if (delta === undefined) continue;
      if (one.template.learn(frame, delta.text)) one.index = delta.index;
      return;
    }
  }

  forget(): void {
    for (const one of this.#kinds) one.template.forget();
  }

  #try(one: Learned, frame: string): boolean {
    const text = one.template.match(frame);
    if (text === undefined) return false;
    one.template.praise();
    this.#last = one;
    one.kind.apply(one.index === undefined ? { text } : { text, index: one.index });
    return true;
  }
}
