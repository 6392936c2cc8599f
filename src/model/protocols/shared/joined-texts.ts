/** Something with a text that never changes. */
export interface Texted {
  readonly text: string;
}

interface Joined extends Texted {
  readonly parts: readonly Texted[];
}

const chunkLength = 64;

/**
 * Joins the texts of long lists that grow at their end: whole chunks of a list are joined once and known by their
 * parts, so that the work for a list of thousands is a look at each part.
 */
export class JoinedTexts {
  readonly #known: WeakMap<Texted, Joined> | undefined;

  constructor(keeps: boolean) {
    this.#known = keeps ? new WeakMap() : undefined;
  }

  /** All texts with commas between them; parts without a text hold nothing. */
  join(parts: readonly Texted[]): string {
    if (this.#known === undefined) return joinTexts(parts);
    const chunks: Texted[] = [];
    let from = 0;
    for (; from + chunkLength <= parts.length; from += chunkLength)
      chunks.push(this.whole(parts.slice(from, from + chunkLength), joinTexts));
    // Added, not joined: the engine copies such a text once, when it is sent, and not at every level of the body.
    let text = "";
    for (const chunk of [...chunks, { text: joinTexts(parts.slice(from)) }])
      if (chunk.text !== "") text += text === "" ? chunk.text : `,${chunk.text}`;
    return text;
  }

  /** The text that `write` makes of these parts; the same object for the same parts. */
  whole<P extends Texted>(parts: readonly P[], write: (parts: readonly P[]) => string): Texted {
    const first = parts[0];
    const known = first === undefined ? undefined : this.#known?.get(first);
    if (known !== undefined && areSame(known.parts, parts)) return known;
    const made = { parts, text: write(parts) };
    if (first !== undefined) this.#known?.set(first, made);
    return made;
  }
}

function areSame(some: readonly Texted[], others: readonly Texted[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}

function joinTexts(parts: readonly Texted[]): string {
  const texts: string[] = [];
  for (const { text } of parts) if (text !== "") texts.push(text);
  return texts.join(",");
}
