import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SessionRow } from "../chat/session-list.tsx";
import { ago, count } from "../shell/figures.tsx";
import type { PageProps } from "../shell/page-props.tsx";
import { linkTo } from "../shell/route.tsx";
import { saveJson } from "../shell/save-file.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Loading } from "./loading.tsx";
import { SessionDetails } from "./session-details.tsx";

/** All conversations, or one of them with where it comes from. */
export function SessionsPage({ api, id }: PageProps): VNode {
  return id === undefined ? <AllSessions api={api} /> : <SessionDetails key={id} api={api} id={id} />;
}

/** Searched in what was said, opened, exported, deleted. */
function AllSessions({ api }: Pick<PageProps, "api">): VNode {
  const [words, setWords] = useState("");
  const [problem, setProblem] = useState("");
  const [loaded, again] = useLoaded<{ readonly sessions: readonly SessionRow[] }>(
    api,
    `sessions?limit=200&q=${encodeURIComponent(words)}`,
  );
  const remove = async (id: string, title: string): Promise<void> => {
    if (!window.confirm(`Delete "${title}" with all its messages?`)) return;
    await api.send("DELETE", `sessions/${encodeURIComponent(id)}`).catch((error: Error) => setProblem(error.message));
    again();
  };
  const save = async (id: string): Promise<void> => {
    saveJson(`${id}.json`, await api.get<unknown>(`sessions/${encodeURIComponent(id)}/export`));
  };
  return (
    <>
      <h1>Sessions</h1>
      <input
        type="search"
        aria-label="Search all conversations"
        placeholder="Search titles and messages"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {problem !== "" && <p role="alert">{problem}</p>}
      <Loading of={loaded}>
        {({ sessions }) => (
          <SessionTable
            sessions={sessions}
            onExport={(id) => void save(id)}
            onDelete={(id, title) => void remove(id, title)}
          />
        )}
      </Loading>
    </>
  );
}

interface SessionTableProps {
  readonly sessions: readonly SessionRow[];
  onExport(id: string): void;
  onDelete(id: string, title: string): void;
}

function SessionTable({ sessions, onExport, onDelete }: SessionTableProps): VNode {
  if (sessions.length === 0) return <p>No conversation was found.</p>;
  return (
    <div class="scrolls">
      <table>
        <thead>
          <tr>
            <th>Conversation</th>
            <th>Source</th>
            <th>Model</th>
            <th>Messages</th>
            <th>Last active</th>
            <th>Actions</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, title, source, model, message_count, last_active_ms }) => (
            <tr key={id}>
              <td>
                <a href={linkTo("chat", id)}>{title === "" ? id : title}</a>
              </td>
              <td>{source}</td>
              <td>{model ?? ""}</td>
              <td>{count(message_count)}</td>
              <td>{ago(last_active_ms)}</td>
              <td class="actions">
                <a href={linkTo("sessions", id)} aria-label={`Details of ${title}`}>
                  Details
                </a>
                <a href={linkTo("terminal", id)}>Open in terminal</a>
                <button type="button" class="quiet" aria-label={`Export ${title}`} onClick={() => onExport(id)}>
                  Export
                </button>
                <button type="button" class="deny" aria-label={`Delete ${title}`} onClick={() => onDelete(id, title)}>
                  Delete
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
