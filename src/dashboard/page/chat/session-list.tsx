import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Api } from "../shell/api.tsx";
import { ago } from "../shell/figures.tsx";
import { linkTo } from "../shell/route.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";

export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly model: string | null;
  readonly last_active_ms: number;
  readonly message_count: number;
}

export interface SessionListProps {
  readonly api: Api;
  readonly current: string | undefined;
  /** The list is read again when the open conversation has changed in what is listed. */
  readonly news: string;
}

/** The conversations beside the one that is open. */
export function SessionList({ api, current, news }: SessionListProps): VNode {
  const [words, setWords] = useState("");
  const [loaded, again] = useLoaded<{ readonly sessions: readonly SessionRow[] }>(
    api,
    `sessions?limit=30&q=${encodeURIComponent(words)}`,
    3000,
  );
  useEffect(again, [news]);
  return (
    <aside class="sessions" aria-label="Conversations">
      <a class="button" href={linkTo("chat", "new")}>
        New conversation
      </a>
      <input
        type="search"
        aria-label="Search conversations"
        placeholder="Search"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {loaded.kind === "ready" && loaded.value.sessions.length === 0 && (
        <p class="hint">{words.trim() === "" ? "No conversations yet." : "No conversation was found."}</p>
      )}
      <ul>
        {loaded.kind === "ready" &&
          loaded.value.sessions.map(({ id, title, source, last_active_ms }) => (
            <li key={id}>
              <a href={linkTo("chat", id)} aria-current={isShown(id, current) ? "page" : undefined}>
                <span>{title === "" ? id : title}</span>
                <small>
                  {source}, {ago(last_active_ms)}
                </small>
              </a>
            </li>
          ))}
      </ul>
    </aside>
  );
}

/** A conversation that was begun here has its address since its first message, without a step in the browser's history. */
const isShown = (id: string, current: string | undefined): boolean =>
  id === current || window.location.hash === linkTo("chat", id);
