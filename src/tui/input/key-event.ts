/** One key as bindings see it. */
export interface KeyEvent {
  /** `enter`, `ctrl+c`, `alt+enter`, `f2`, `a`; empty for text that is no single key. */
  readonly key: string;
  /** What the key types; undefined for keys that type nothing. */
  readonly text: string | undefined;
}

/** What arrives from the terminal. */
export type TerminalInput =
  | { readonly kind: "key"; readonly event: KeyEvent }
  | { readonly kind: "paste"; readonly text: string }
  /** The terminal says what lies behind its text. */
  | { readonly kind: "background"; readonly background: "dark" | "light" };
