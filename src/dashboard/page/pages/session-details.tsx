import type { VNode } from "preact";
import { itemsOf } from "../chat/conversation.tsx";
import type { HistoryMessage } from "../chat/frames.tsx";
import { ItemView } from "../chat/items.tsx";
import { ImageFiles, useImageFiles } from "../markdown/local-image.tsx";
import type { Api } from "../shell/api.tsx";
import { ago, count, dollars } from "../shell/figures.tsx";
import { linkTo } from "../shell/route.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Fact } from "./fact.tsx";
import { Loading } from "./loading.tsx";

interface Facts {
  readonly id: string;
  readonly title: string | null;
  readonly source: string;
  readonly model: string | null;
  readonly started_at_ms: number;
  readonly message_count: number;
  readonly tool_call_count: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
}

interface Relative {
  readonly id: string;
  readonly title: string | null;
  readonly parent_id: string | null;
  readonly kind: "compression" | "branch" | "reset" | "delegation" | null;
  readonly source: string;
  readonly message_count: number;
  readonly started_at_ms: number;
}

interface Lineage {
  readonly is_cut: boolean;
  readonly sessions: readonly Relative[];
}

interface History {
  readonly earlier: number;
  readonly messages: readonly HistoryMessage[];
}

interface DetailsProps {
  readonly api: Api;
  readonly id: string;
}

/** One part of a conversation: its figures, where it comes from and what came of it, and what was said in it. */
export function SessionDetails({ api, id }: DetailsProps): VNode {
  const path = `sessions/${encodeURIComponent(id)}`;
  const [facts] = useLoaded<Facts>(api, path);
  const [lineage] = useLoaded<Lineage>(api, `${path}/lineage`);
  const [history] = useLoaded<History>(api, `${path}/messages?limit=200`);
  const readImage = useImageFiles(api, id);
  return (
    <ImageFiles.Provider value={readImage}>
      <p>
        <a href={linkTo("sessions")}>All sessions</a>
      </p>
      <Loading of={facts}>{(found) => <Figures facts={found} />}</Loading>
      <h2>Lineage</h2>
      <Loading of={lineage}>{(found) => <LineageTree lineage={found} current={id} />}</Loading>
      <h2>Messages</h2>
      <Loading of={history}>
        {(found) => (
          <>
            {found.earlier > 0 && <p>{count(found.earlier)} earlier messages are not shown here.</p>}
            {itemsOf(found).map((item) => (
              <ItemView key={item.id} item={item} onCommand={() => undefined} />
            ))}
          </>
        )}
      </Loading>
    </ImageFiles.Provider>
  );
}

function Figures({ facts }: { readonly facts: Facts }): VNode {
  const { id, title, source, model, cost_usd } = facts;
  return (
    <>
      <h1>{title ?? id}</h1>
      <p>
        <a href={linkTo("chat", id)}>Open in the chat</a>
      </p>
      <dl class="facts">
        <Fact name="Source" value={source} />
        <Fact name="Model" value={model ?? "none"} />
        <Fact name="Began" value={ago(facts.started_at_ms)} />
        <Fact name="Messages" value={count(facts.message_count)} />
        <Fact name="Tool calls" value={count(facts.tool_call_count)} />
        <Fact name="Tokens in / out" value={`${count(facts.input_tokens)} / ${count(facts.output_tokens)}`} />
        <Fact name="Cost" value={cost_usd === null ? "unknown" : dollars(cost_usd)} />
      </dl>
    </>
  );
}

const kinds: Readonly<Record<NonNullable<Relative["kind"]>, string>> = {
  compression: "continues after compression",
  branch: "branch",
  reset: "begun anew",
  delegation: "child agent",
};

/** From the first session down; each is a link, so that one can walk through them. */
function LineageTree({ lineage, current }: { readonly lineage: Lineage; readonly current: string }): VNode {
  const { sessions, is_cut } = lineage;
  const [root] = sessions;
  if (root === undefined || sessions.length === 1) return <p>No related sessions.</p>;
  return (
    <>
      <ul class="lineage">
        <Related one={root} all={sessions} current={current} />
      </ul>
      {is_cut && <p>There are more; only the first {sessions.length} are shown.</p>}
    </>
  );
}

interface RelatedProps {
  readonly one: Relative;
  readonly all: readonly Relative[];
  readonly current: string;
}

function Related({ one, all, current }: RelatedProps): VNode {
  // Damaged data may hold a circle: nobody comes below themselves.
  const others = all.filter(({ id }) => id !== one.id);
  const children = others.filter(({ parent_id }) => parent_id === one.id);
  return (
    <li>
      <a href={linkTo("sessions", one.id)} aria-current={one.id === current ? "true" : undefined}>
        {one.title ?? one.id}
      </a>{" "}
      <small>
        {one.kind === null ? "" : `${kinds[one.kind]}, `}
        {one.source}, {count(one.message_count)} messages, {ago(one.started_at_ms)}
      </small>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Related key={child.id} one={child} all={others} current={current} />
          ))}
        </ul>
      )}
    </li>
  );
}
