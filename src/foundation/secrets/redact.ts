import { disposable } from "../lifecycle/disposal.ts";
import { isPlainObject } from "../text/json.ts";
import { LiteralMatcher } from "./literal-matcher.ts";
import { applySpans, mergeSpans, type SecretSpan } from "./redact-spans.ts";
import { Secret } from "./secret.ts";
import { formsOf, reversed, shortestSecret } from "./secret-forms.ts";
import { findShapes, isSecretName, plainMask } from "./secret-shapes.ts";
import { SpacedMatcher } from "./spaced-matcher.ts";

export { maskIdentifiers } from "../text/identifiers.ts";
export type { SecretSpan } from "./redact-spans.ts";

const maxRounds = 4;

interface Registration {
  readonly value: string;
  readonly forms: readonly string[];
  readonly mask: string;
}

/**
 * Takes secrets out of text bound for a log, an event, a model or a trajectory: the exact values it
 * was told about, in every form they usually travel in, and whatever has the shape of a key.
 * Takes time linear in the text.
 */
export class Redactor {
  readonly #registrations = new Set<Registration>();
  #matcher: LiteralMatcher | undefined;
  #spaced: SpacedMatcher | undefined;

  /**
   * Registers a value to be masked wherever it appears, as `[redacted:label]` or `***`. Values under
   * six characters are not registered: masking them would shred ordinary text. Disposing forgets it.
   */
  add(secret: Secret | string, label?: string): Disposable {
    const value = secret instanceof Secret ? secret.reveal() : secret;
    if (value.trim().length < shortestSecret) return disposable(() => undefined);
    const mask = label === undefined ? plainMask : `[redacted:${label.replace(/[^\w.-]+/g, "-")}]`;
    const registration: Registration = { value: value.trim(), forms: formsOf(value), mask };
    this.#registrations.add(registration);
    this.#forgetMatchers();
    return disposable(() => {
      this.#registrations.delete(registration);
      this.#forgetMatchers();
    });
  }

  /** Only values it was told about; what merely looks like a key stays, because a person may want to hand one over. */
  redactKnown(text: string): string {
    const spans = mergeSpans(this.#known(text));
    return spans.length === 0 ? text : applySpans(text, spans);
  }

  redact(text: string): string {
    let redacted = text;
    // What stood before a secret can hide the next one until it is masked; two rounds are the rule.
    for (let round = 0; round < maxRounds; round += 1) {
      const spans = this.find(redacted);
      if (spans.length === 0) break;
      redacted = applySpans(redacted, spans);
    }
    return redacted;
  }

  /** Where the secrets are and what stands in their place, in order and without overlaps. */
  find(text: string): readonly SecretSpan[] {
    return mergeSpans([...this.#known(text), ...findShapes(text)]);
  }

  /** Redacts every string of plain data, and the whole value of fields with a telling name. Unchanged parts keep their identity. */
  redactDeep<T>(value: T): T {
    return this.#deep(value, undefined) as T;
  }

  #deep(value: unknown, key: string | undefined): unknown {
    if (typeof value === "string") {
      const redacted = this.redact(value);
      return redacted === value && value !== "" && key !== undefined && isSecretName(key) ? plainMask : redacted;
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#deep(item, key));
      return items.every((item, index) => Object.is(item, value[index])) ? value : items;
    }
    if (!isPlainObject(value)) return value;
    let hasChanged = false;
    const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
      const entry: [string, unknown] = [this.redact(name), this.#deep(item, name)];
      hasChanged ||= entry[0] !== name || !Object.is(entry[1], item);
      return entry;
    });
    return hasChanged ? Object.fromEntries(entries) : value;
  }

  #known(text: string): readonly SecretSpan[] {
    this.#spaced ??= new SpacedMatcher(
      [...this.#registrations].flatMap(({ value, mask }) =>
        [value, reversed(value)].map((one) => ({ text: one, mask })),
      ),
    );
    return [...this.#literals().find(text), ...this.#spaced.find(text)];
  }

  #forgetMatchers(): void {
    this.#matcher = undefined;
    this.#spaced = undefined;
  }

  #literals(): LiteralMatcher {
    this.#matcher ??= new LiteralMatcher(
      [...this.#registrations].flatMap(({ forms, mask }) => forms.map((text) => ({ text, mask }))),
    );
    return this.#matcher;
  }
}
