import { useEffect, useState } from "preact/hooks";

/** Where the page is: `#/sessions`, `#/chat/<id>`. */
export interface Route {
  readonly page: string;
  readonly id: string | undefined;
  /** Grows with every step: two new conversations in a row have the same address. */
  readonly step: number;
}

function readRoute(step: number): Route {
  const [, page = "", id] = window.location.hash.replace(/^#/, "").split("/");
  return {
    page: page === "" ? "chat" : page,
    id: id === undefined || id === "" ? undefined : decodeURIComponent(id),
    step,
  };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(0));
  useEffect(() => {
    const follow = (): void => setRoute(({ step }) => readRoute(step + 1));
    window.addEventListener("hashchange", follow);
    // It may have moved between the first look and now.
    setRoute(({ step }) => readRoute(step));
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return route;
}

export const linkTo = (page: string, id?: string): string =>
  `#/${page}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
