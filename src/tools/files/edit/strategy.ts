/** A place in a text: `[start, end)`. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** One way to find a snippet in a text, from strict to lenient. */
export interface Strategy {
  readonly name: string;
  /** All places, in order; none when this way does not find it. */
  find(content: string, pattern: string): readonly Match[];
  /** The replacement takes over the indentation of the place it goes to. */
  readonly reindents: boolean;
  /** Too lenient to be applied at more than one place. */
  readonly isSingleOnly: boolean;
}

export function strategy(
  name: string,
  find: Strategy["find"],
  flags: { readonly reindents?: boolean; readonly isSingleOnly?: boolean } = {},
): Strategy {
  return { name, find, reindents: flags.reindents ?? false, isSingleOnly: flags.isSingleOnly ?? false };
}
