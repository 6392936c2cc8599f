import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Choice } from "../chat/frames.tsx";
import { RequestCard } from "../chat/requests.tsx";
import { ago } from "../shell/figures.tsx";
import type { PageProps } from "../shell/page-props.tsx";
import { linkTo } from "../shell/route.tsx";
import { useAction } from "../shell/use-action.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Loading } from "./loading.tsx";
import { Problem } from "./problem.tsx";

interface Waiting {
  readonly id: string;
  readonly session_id: string;
  readonly title: string | null;
  readonly source: string;
  readonly tool: string;
  readonly summary: string;
  readonly reasons: readonly string[];
  readonly choices: readonly Choice[];
  readonly scopes?: Readonly<Partial<Record<Choice, string>>>;
  readonly lines?: readonly number[];
  readonly is_destructive: boolean;
  /** In another program: a chat platform, another window. */
  readonly is_elsewhere: boolean;
}

interface Decided {
  readonly at_ms: number;
  readonly session_key: string;
  readonly tool: string;
  readonly surface: string;
  readonly command: string;
  readonly verdict: "run" | "blocked";
  readonly why: string;
  readonly choice: Choice | null;
}

interface Approvals {
  readonly waiting: readonly Waiting[];
  readonly decided: readonly Decided[];
}

/** What waits for a decision, and what was decided: by whom, about what. */
export function ApprovalsPage({ api }: PageProps): VNode {
  const [words, setWords] = useState("");
  const [loaded, again] = useLoaded<Approvals>(api, `approvals?q=${encodeURIComponent(words)}`, 3000);
  const { problem, run } = useAction(again);
  const approve = (id: string, choice: Choice, reason?: string): void =>
    void run(api.send("POST", `approvals/${encodeURIComponent(id)}`, { choice, reason }));
  return (
    <>
      <h1>Approvals</h1>
      <Problem text={problem} />
      <Loading of={loaded}>
        {({ waiting }) => (
          <>
            {waiting.length === 0 && <p>Nothing waits.</p>}
            {waiting.map((one) => (
              <div key={one.id}>
                <a href={linkTo("chat", one.session_id)}>{one.title ?? "The conversation"}</a>{" "}
                <small>
                  {one.source}
                  {one.is_elsewhere ? ", in another program" : ""}
                </small>
                <RequestCard
                  request={{ type: "approval-request", ...one }}
                  onApprove={(choice, reason) => approve(one.id, choice, reason)}
                  onAnswer={() => undefined}
                />
              </div>
            ))}
          </>
        )}
      </Loading>
      <h2>Decided</h2>
      <input
        type="search"
        aria-label="Search decisions"
        placeholder="Search commands, tools, sources"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <Loading of={loaded}>{({ decided }) => <DecidedTable rows={decided} />}</Loading>
    </>
  );
}

const choiceWords: Readonly<Record<Choice, string>> = {
  once: "a person, once",
  folder: "a person, for a folder in the session",
  session: "a person, for the session",
  always: "a person, for good",
  deny: "a person, or because nobody answered",
};

function DecidedTable({ rows }: { readonly rows: readonly Decided[] }): VNode {
  if (rows.length === 0) return <p>Nothing was decided yet.</p>;
  return (
    <div class="scrolls">
      <table>
        <thead>
          <tr>
            <th>When</th>
            <th>What</th>
            <th>Where</th>
            <th>Decision</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at_ms, tool, surface, session_key, command, verdict, why, choice }, index) => (
            <tr key={`${at_ms}-${index}`}>
              <td>{ago(at_ms)}</td>
              <td>
                <strong>{tool}</strong> <code>{command}</code>
              </td>
              <td>
                {surface} <small>{session_key}</small>
              </td>
              <td class={verdict === "run" ? "allowed" : "blocked"}>
                {verdict === "run" ? "allowed" : "blocked"}
                {choice === null ? "" : ` by ${choiceWords[choice]}`} <small>{why}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
