import type { VNode } from "preact";
import { ago, count } from "../shell/figures.tsx";
import type { PageProps } from "../shell/page-props.tsx";
import { linkTo } from "../shell/route.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Fact } from "./fact.tsx";
import { Loading } from "./loading.tsx";

interface Status {
  readonly version: string;
  readonly home: string;
  readonly profile: string;
  readonly cwd: string;
  readonly sessions: number;
  readonly messages: number;
  readonly active_sessions: number;
  readonly recent: readonly {
    readonly id: string;
    readonly title: string;
    readonly source: string;
    readonly last_active_ms: number;
  }[];
  readonly gateway: readonly {
    readonly pid: number;
    readonly state: string;
    readonly roles: readonly string[];
    readonly running_turns: number;
    readonly platforms: readonly { readonly id: string; readonly state: string; readonly problem: string | null }[];
  }[];
  readonly running: readonly {
    readonly id: string;
    readonly title: string | null;
    readonly source: string;
    readonly model: string;
  }[];
  readonly processes: readonly { readonly id: string; readonly command: string; readonly started_at_ms: number }[];
  readonly inbox: Readonly<Record<string, number>>;
  readonly outbox: Readonly<Record<string, number>>;
}

/** What runs, and what ran last. */
export function StatusPage({ api }: PageProps): VNode {
  const [loaded] = useLoaded<Status>(api, "status", 5000);
  return (
    <>
      <h1>Status</h1>
      <Loading of={loaded}>
        {(status) => (
          <>
            <dl class="facts">
              <Fact name="Version" value={status.version} />
              <Fact name="Conversations" value={count(status.sessions)} />
              <Fact name="Active in the last 5 minutes" value={count(status.active_sessions)} />
              <Fact name="Messages" value={count(status.messages)} />
              <Fact name="Inbox" value={countsText(status.inbox)} />
              <Fact name="Outbox" value={countsText(status.outbox)} />
              <Fact isLong name="Home" value={`${status.home} (profile ${status.profile})`} />
              <Fact isLong name="Folder of new conversations" value={status.cwd} />
            </dl>
            <h2>Gateway</h2>
            <Gateway processes={status.gateway} />
            <h2>Running turns</h2>
            {status.running.length === 0 && <p>No conversation of this dashboard is working.</p>}
            <ul class="rows">
              {status.running.map(({ id, title, source, model }) => (
                <li key={id}>
                  <a href={linkTo("chat", id)}>{title ?? "A conversation"}</a>{" "}
                  <small>
                    {source}, {model}
                  </small>
                </li>
              ))}
            </ul>
            <h2>Background processes</h2>
            {status.processes.length === 0 && <p>None.</p>}
            <ul class="rows">
              {status.processes.map(({ id, command, started_at_ms }) => (
                <li key={id}>
                  <code>{command}</code> <small>started {ago(started_at_ms)}</small>
                </li>
              ))}
            </ul>
            <h2>Recent conversations</h2>
            {status.recent.length === 0 && <p>None yet.</p>}
            <ul class="rows">
              {status.recent.map(({ id, title, source, last_active_ms }) => (
                <li key={id}>
                  <a href={linkTo("chat", id)}>{title === "" ? id : title}</a>{" "}
                  <small>
                    {source}, {ago(last_active_ms)}
                  </small>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loading>
    </>
  );
}

function Gateway({ processes }: { readonly processes: Status["gateway"] }): VNode {
  if (processes.length === 0)
    return (
      <p>
        Not running. <span class="hint">Start it with</span> <code>hermes gateway run</code>
      </p>
    );
  return (
    <ul class="rows">
      {processes.map(({ pid, state, roles, running_turns, platforms }) => (
        <li key={pid}>
          Process {pid}: {state}, {running_turns} {running_turns === 1 ? "turn" : "turns"}{" "}
          <small>{roles.join(", ")}</small>
          <ul>
            {platforms.map(({ id, state: now, problem }) => (
              <li key={id}>
                {id}: {now}
                {problem === null ? "" : ` (${problem})`}
              </li>
            ))}
            {platforms.length === 0 && <li>no platforms</li>}
          </ul>
        </li>
      ))}
    </ul>
  );
}

/** What is over and done with is of no interest here. */
const settled: ReadonlySet<string> = new Set(["done", "sent", "delivered"]);

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([name, many]) => many > 0 && !settled.has(name));
  return parts.length === 0 ? "empty" : parts.map(([name, many]) => `${many} ${name}`).join(", ");
}
