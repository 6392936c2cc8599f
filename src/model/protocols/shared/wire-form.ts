import type { Message } from "#conversation";
import { jsonText } from "./body.ts";

/** What one message became on a wire, with its JSON, which is written when it is first asked for. */
export class WireForm<T> {
  readonly value: T;
  readonly hasImages: boolean;
  readonly #isList: boolean;
  #text: string | undefined;

  private constructor(value: T, { isList, hasImages }: { readonly isList: boolean; readonly hasImages: boolean }) {
    this.value = value;
    this.hasImages = hasImages;
    this.#isList = isList;
  }

  /** A whole message of the wire. */
  static one<T>(value: T, hasImages = false): WireForm<T> {
    return new WireForm(value, { isList: false, hasImages });
  }

  /** A run of blocks or items; its text has no brackets around it, so that runs can be joined. */
  static list<T>(values: readonly T[], hasImages = false): WireForm<readonly T[]> {
    return new WireForm(values, { isList: true, hasImages });
  }

  get text(): string {
    if (this.#text !== undefined) return this.#text;
    const whole = jsonText(this.value) ?? "null";
    this.#text = this.#isList ? whole.slice(1, -1) : whole;
    return this.#text;
  }
}

/**
 * The forms of messages on one wire for one set of facts about the target. A message looks the same each time
 * it is sent, unless its surroundings change it (the id that a call gets depends on the calls before it), so
 * these are kept with the form and compared.
 */
export class WireForms<T> {
  readonly #known = new WeakMap<Message, { readonly surroundings: string; readonly form: WireForm<T> }>();
  readonly #keeps: boolean;

  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  /** `surroundings`: whatever goes into the form besides the message and the facts. */
  of<M extends Message>(message: M, surroundings: string, make: (message: M) => WireForm<T>): WireForm<T> {
    if (!this.#keeps) return make(message);
    const known = this.#known.get(message);
    if (known !== undefined && known.surroundings === surroundings) return known.form;
    const form = make(message);
    this.#known.set(message, { surroundings, form });
    return form;
  }
}

/** The facts are a few switches per wire, so there are few sets of them. */
export class FormsByFacts<T> {
  readonly #byFacts = new Map<string, WireForms<T>>();
  readonly #keeps: boolean;

  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  given(facts: string): WireForms<T> {
    const known = this.#byFacts.get(facts);
    if (known !== undefined) return known;
    const made = new WireForms<T>(this.#keeps);
    if (this.#keeps) this.#byFacts.set(facts, made);
    return made;
  }
}
