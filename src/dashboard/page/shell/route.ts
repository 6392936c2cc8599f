import { useEffect, useState } from "preact/hooks";

/** Where the page is: `#/sessions`, `#/chat/<id>`. */
export interface Route {
  readonly page: string;
  readonly id: string | undefined;
}

function readRoute(): Route {
  const [, page = "", id] = window.location.hash.replace(/^#/, "").split("/");
  return { page: page === "" ? "chat" : page, id: id === undefined || id === "" ? undefined : decodeURIComponent(id) };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const follow = (): void => setRoute(readRoute());
    window.addEventListener("hashchange", follow);
    // It may have moved between the first look and now.
    follow();
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return route;
}

export const linkTo = (page: string, id?: string): string =>
  `#/${page}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
