/** What a credential is for, and where one is made. */
export interface KeyFacts {
  /** Of the variable. */
  readonly name: string;
  /** The purpose it serves, a heading: `Models`. */
  readonly group: string;
  /** Whom it is for: `OpenAI`. */
  readonly label: string;
  /** Where one is made; undefined where there is no such page. */
  readonly url: string | undefined;
}
