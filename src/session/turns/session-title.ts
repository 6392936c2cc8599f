import type { SessionId } from "#conversation";
import { codePointLength } from "#foundation/text/text";
import { cleanTitle, maxTitleLength, type Store, type TitleOutcome } from "#store";

/** The title of a session, also while the session has no row yet. */
export class SessionTitle {
  readonly #store: Store;
  #title: string | undefined;
  #isPending = false;

  constructor(store: Store, title: string | undefined) {
    this.#store = store;
    this.#title = title;
  }

  get current(): string | undefined {
    return this.#title;
  }

  get isPending(): boolean {
    return this.#isPending;
  }

  async set(title: string, session: { readonly id: SessionId; readonly hasRow: boolean }): Promise<TitleOutcome> {
    const outcome = session.hasRow
      ? await this.#store.sessions.setTitle(session.id, title)
      : await this.#checked(title);
    if (outcome.kind !== "set" && outcome.kind !== "cleared") return outcome;
    this.#title = outcome.kind === "set" ? outcome.title : undefined;
    this.#isPending = !session.hasRow && outcome.kind === "set";
    return outcome;
  }

  /** The title was given elsewhere: by the model, or by compression. */
  know(title: string | undefined): void {
    this.#title = title;
  }

  /** The row is there now; a title that was taken in the meantime gets the next number. */
  async settle(id: SessionId): Promise<void> {
    if (!this.#isPending || this.#title === undefined) return;
    this.#isPending = false;
    const wanted = this.#title;
    const outcome = await this.#store.sessions.setTitle(id, wanted);
    if (outcome.kind !== "taken") return;
    const again = await this.#store.sessions.setTitle(id, await this.#store.sessions.nextTitle(wanted));
    this.#title = again.kind === "set" ? again.title : undefined;
  }

  async #checked(title: string): Promise<TitleOutcome> {
    const clean = cleanTitle(title);
    if (clean === "") return { kind: "cleared" };
    const length = codePointLength(clean);
    if (length > maxTitleLength) return { kind: "too-long", length };
    const other = await this.#store.sessions.resolveTitle(clean);
    const taken = other === undefined ? undefined : await this.#store.sessions.get(other);
    return taken?.title === clean ? { kind: "taken", by: taken.id } : { kind: "set", title: clean };
  }
}
