import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { count, dollars } from "../shell/figures.tsx";
import type { PageProps } from "../shell/page-props.tsx";
import { linkTo } from "../shell/route.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Fact } from "./fact.tsx";
import { Loading } from "./loading.tsx";

interface Group {
  readonly name: string;
  readonly sessions: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

interface Budget {
  readonly what: string;
  readonly limit_usd: number;
  readonly spent_usd: number | null;
  readonly mode: "soft" | "hard";
}

interface Day {
  readonly sessions: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

interface Usage {
  readonly days: number;
  readonly until_ms: number;
  readonly cache_hit_rate: number | null;
  readonly sessions: number;
  readonly messages: number;
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Calls whose tokens the server did not count. */
  readonly estimated_calls: number;
  readonly cost_usd: number;
  readonly sessions_with_unknown_cost: number;
  readonly per_day: readonly Day[];
  readonly budgets: readonly Budget[];
  readonly by_model: readonly Group[];
  readonly by_source: readonly Group[];
}

/** With the mark of an estimate where a server left some of it uncounted. */
function tokenCount(tokens: number, { estimated_calls: estimated }: Usage): string {
  return `${estimated > 0 ? "~" : ""}${count(tokens)}`;
}

/** What was used, and what it cost. */
export function InsightsPage({ api }: PageProps): VNode {
  const [days, setDays] = useState("30");
  const [loaded] = useLoaded<Usage>(api, `analytics/usage?days=${days}`);
  return (
    <>
      <h1>Insights</h1>
      <label>
        Period{" "}
        <select value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          <option value="7">7 days</option>
          <option value="30">30 days</option>
          <option value="90">90 days</option>
        </select>
      </label>
      <Loading of={loaded}>
        {(usage) => (
          <>
            <dl class="facts">
              <Fact name="Conversations" value={count(usage.sessions)} />
              <Fact name="Messages" value={count(usage.messages)} />
              <Fact name="Tool calls" value={count(usage.tool_calls)} />
              <Fact name="Tokens in" value={tokenCount(usage.input_tokens, usage)} />
              <Fact name="Tokens out" value={tokenCount(usage.output_tokens, usage)} />
              <Fact
                name="Cache hits"
                value={usage.cache_hit_rate === null ? "unknown" : `${Math.round(usage.cache_hit_rate * 100)}%`}
              />
              <Fact name="Cost" value={costText(usage)} />
            </dl>
            <Budgets budgets={usage.budgets} />
            <h2>Per day</h2>
            <div class="plots">
              <DayPlot usage={usage} of="cost_usd" />
              <DayPlot usage={usage} of="tokens" />
              <DayPlot usage={usage} of="sessions" />
            </div>
            <GroupTable title="By model" groups={usage.by_model} />
            <GroupTable title="By source" groups={usage.by_source} />
          </>
        )}
      </Loading>
    </>
  );
}

function costText({ cost_usd, sessions_with_unknown_cost: unknown }: Usage): string {
  return unknown === 0 ? dollars(cost_usd) : `${dollars(cost_usd)}, and ${unknown} conversations of unknown cost`;
}

function Budgets({ budgets }: { readonly budgets: readonly Budget[] }): VNode {
  return (
    <>
      <h2>Budgets</h2>
      {budgets.length === 0 && (
        <p>
          No limit is set. <code>budget.daily_usd</code> under <a href={linkTo("settings")}>Settings</a> sets one.
        </p>
      )}
      <dl class="facts limits">
        {budgets.map(({ what, limit_usd, spent_usd, mode }) => (
          <Fact
            key={what}
            name={`${what[0]?.toUpperCase()}${what.slice(1)}`}
            value={
              spent_usd === null
                ? `${dollars(limit_usd)} at most`
                : `${dollars(Math.max(0, limit_usd - spent_usd))} left of ${dollars(limit_usd)}${mode === "hard" ? "" : " (warns only)"}`
            }
          />
        ))}
      </dl>
    </>
  );
}

function GroupTable({ title, groups }: { readonly title: string; readonly groups: readonly Group[] }): VNode {
  return (
    <div class="scrolls">
      <h2>{title}</h2>
      {groups.length === 0 && <p>Nothing in this period.</p>}
      <table hidden={groups.length === 0}>
        <thead>
          <tr>
            <th>Name</th>
            <th class="number">Conversations</th>
            <th class="number">Tokens</th>
            <th class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, sessions, tokens, cost_usd }) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="number">{count(sessions)}</td>
              <td class="number">{count(tokens)}</td>
              <td class="number">{dollars(cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const dayMs = 86_400_000;
const plots: Readonly<Record<keyof Day, { readonly title: string; words(value: number): string }>> = {
  cost_usd: { title: "Cost", words: dollars },
  tokens: { title: "Tokens", words: count },
  // Half a conversation is no mark of an axis.
  sessions: { title: "Conversations", words: (value) => (Number.isInteger(value) ? count(value) : "") },
};

/** One figure over the days. The plot is loaded when this page is opened. */
function DayPlot({ usage, of }: { readonly usage: Usage; readonly of: keyof Day }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const { per_day: perDay, until_ms: untilMs } = usage;
  const { title, words } = plots[of];
  const values = perDay.map((day) => day[of]);
  useEffect(() => {
    let isGone = false;
    let end = (): void => undefined;
    void import("./day-plot.tsx").then(({ drawDays }) => {
      if (isGone || box.current === null) return;
      const times = values.map((_, index) => (untilMs - (values.length - 1 - index) * dayMs) / 1000);
      end = drawDays(box.current, { times, values, words });
    });
    return () => {
      isGone = true;
      end();
    };
  }, [perDay, untilMs, of]);
  const sum = words(values.reduce((all, one) => all + one, 0));
  const most = words(Math.max(0, ...values));
  return (
    <figure>
      <figcaption>
        {title} <small>{sum} in all</small>
      </figcaption>
      <div class="plot" ref={box} role="img" aria-label={`${title} per day: ${sum} in all, ${most} at most`} />
    </figure>
  );
}
