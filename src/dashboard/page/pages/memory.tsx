import type { VNode } from "preact";
import { Diff } from "../chat/diff.tsx";
import { ago, count } from "../shell/figures.tsx";
import type { PageProps } from "../shell/page-props.tsx";
import { linkTo } from "../shell/route.tsx";
import { useAction } from "../shell/use-action.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Loading } from "./loading.tsx";
import { Problem } from "./problem.tsx";

interface NoteFile {
  readonly name: string;
  readonly is_enabled: boolean;
  readonly entries: readonly string[];
  readonly used: number;
  readonly limit: number;
}

interface Pending {
  readonly id: string;
  readonly at_ms: number;
  readonly target: string;
  readonly source: string;
  readonly session_id: string | null;
  readonly removed: string | null;
  readonly added: string | null;
}

/** What Hermes remembers, and what it would remember if the person agreed. */
export function MemoryPage({ api }: PageProps): VNode {
  const [loaded, again] = useLoaded<{ readonly files: readonly NoteFile[]; readonly pending: readonly Pending[] }>(
    api,
    "memory",
    10_000,
  );
  const { problem, run } = useAction(again);
  const settle = (id: string, how: "confirm" | "reject"): void =>
    void run(api.send("POST", `memory/pending/${encodeURIComponent(id)}/${how}`));
  return (
    <>
      <h1>Memory</h1>
      <Problem text={problem} />
      <Loading of={loaded}>
        {({ files, pending }) => (
          <>
            {pending.length > 0 && <h2>Waiting for your decision</h2>}
            {pending.map((one) => (
              <PendingCard key={one.id} pending={one} onSettle={(how) => settle(one.id, how)} />
            ))}
            {files.map((file) => (
              <NoteList key={file.name} file={file} />
            ))}
          </>
        )}
      </Loading>
    </>
  );
}

function PendingCard({
  pending,
  onSettle,
}: {
  readonly pending: Pending;
  onSettle(how: "confirm" | "reject"): void;
}): VNode {
  const { at_ms: atMs, target, source, session_id: session } = pending;
  return (
    <section class="request" aria-label={`Change of ${target}`}>
      <p>
        A change of <strong>{target}</strong>, {ago(atMs)}, after reading {source}
        {session !== null && (
          <>
            {" in "}
            <a href={linkTo("chat", session)}>this conversation</a>
          </>
        )}
      </p>
      <Diff text={diffOf(pending)} />
      <div class="buttons">
        <button type="button" onClick={() => onSettle("confirm")}>
          Remember
        </button>
        <button type="button" class="deny" onClick={() => onSettle("reject")}>
          Refuse
        </button>
      </div>
    </section>
  );
}

function diffOf({ removed, added }: Pending): string {
  const marked = (sign: string, text: string | null): readonly string[] =>
    text === null ? [] : text.split("\n").map((line) => `${sign} ${line}`);
  return [...marked("-", removed), ...marked("+", added)].join("\n");
}

function NoteList({ file }: { readonly file: NoteFile }): VNode {
  const { name, is_enabled: isEnabled, entries, used, limit } = file;
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <p class="hint">
        {isEnabled ? "" : "Switched off. "}
        {count(used)} of {count(limit)} characters
      </p>
      <ul class="rows entries">
        {entries.map((entry) => (
          <li key={entry}>{entry}</li>
        ))}
      </ul>
      {entries.length === 0 && <p>No notes yet.</p>}
    </section>
  );
}
