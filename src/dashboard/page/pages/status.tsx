import type { VNode } from "preact";
import { ago, count } from "../shell/figures.ts";
import type { PageProps } from "../shell/page-props.ts";
import { linkTo } from "../shell/route.ts";
import { useLoaded } from "../shell/use-loaded.ts";
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
  readonly gateway: {
    readonly state: string | null;
    readonly active_agents: number;
    readonly platforms: Readonly<Record<string, unknown>>;
  } | null;
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
              <Fact name="Home" value={`${status.home} (profile ${status.profile})`} />
              <Fact name="Folder of new conversations" value={status.cwd} />
              <Fact
                name="Conversations"
                value={`${count(status.sessions)}, ${status.active_sessions} active in the last 5 minutes`}
              />
              <Fact name="Messages" value={count(status.messages)} />
              <Fact name="Gateway" value={gatewayText(status.gateway)} />
              <Fact name="Inbox" value={countsText(status.inbox)} />
              <Fact name="Outbox" value={countsText(status.outbox)} />
            </dl>
            <h2>Recent conversations</h2>
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

function gatewayText(gateway: Status["gateway"]): string {
  if (gateway === null) return "has not run";
  const names = Object.keys(gateway.platforms);
  return `${gateway.state ?? "unknown"}, ${gateway.active_agents} turns; ${names.length === 0 ? "no platforms" : names.join(", ")}`;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, many]) => many > 0);
  return parts.length === 0 ? "empty" : parts.map(([name, many]) => `${many} ${name}`).join(", ");
}
