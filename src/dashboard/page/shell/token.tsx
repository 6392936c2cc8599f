const name = "hermes-token";

/**
 * The token of this start. It comes in the fragment, which browsers send to nobody, is taken out of the address at once and kept
 * for this tab alone.
 */
export function takeToken(): string | undefined {
  const { hash, pathname, search } = window.location;
  const fresh = /^#token=([\w-]+)/.exec(hash)?.[1];
  if (fresh !== undefined) {
    keepToken(fresh);
    window.history.replaceState(null, "", `${pathname}${search}#/`);
  }
  return window.sessionStorage.getItem(name) ?? undefined;
}

/** For a reload of this tab. */
export const keepToken = (token: string): void => window.sessionStorage.setItem(name, token);
