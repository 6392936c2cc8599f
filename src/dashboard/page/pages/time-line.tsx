import type { VNode } from "preact";
import { count } from "../shell/figures.tsx";

export interface Upcoming {
  readonly from_ms: number;
  readonly until_ms: number;
  readonly jobs: readonly { readonly id: string; readonly name: string; readonly runs_ms: readonly number[] }[];
}

const dayMs = 86_400_000;

/** When each job runs, from now to the right; days are marked by their name. */
export function TimeLine({ upcoming }: { readonly upcoming: Upcoming }): VNode {
  const { from_ms: fromMs, until_ms: untilMs, jobs } = upcoming;
  const due = jobs.filter(({ runs_ms }) => runs_ms.length > 0);
  if (due.length === 0) return <p>Nothing is due.</p>;
  const at = (ms: number): { readonly left: string } => ({
    left: `${(((ms - fromMs) / (untilMs - fromMs)) * 100).toFixed(2)}%`,
  });
  return (
    <div class="time-line">
      <div class="days" aria-hidden="true">
        {midnights(fromMs, untilMs).map((ms) => (
          <span key={ms} style={at(ms)}>
            {new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric" }).format(ms)}
          </span>
        ))}
      </div>
      <ul>
        {due.map(({ id, name, runs_ms }) => (
          <li key={id}>
            <span class="name">{name}</span>
            <span class="track" role="img" aria-label={wordsOf(runs_ms)} title={wordsOf(runs_ms)}>
              {runs_ms.map((ms) => (
                <i key={ms} style={at(ms)} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function midnights(fromMs: number, untilMs: number): readonly number[] {
  const found: number[] = [];
  // The name of a day needs room to its right.
  for (
    let ms = new Date(fromMs).setHours(24, 0, 0, 0);
    ms < untilMs - dayMs / 3;
    ms = new Date(ms + dayMs).setHours(0, 0, 0, 0)
  )
    found.push(ms);
  return found;
}

function wordsOf(runs: readonly number[]): string {
  const time = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
  const first = runs.slice(0, 3).map((ms) => time.format(ms));
  return runs.length > first.length
    ? `${first.join("; ")} and ${count(runs.length - first.length)} more`
    : first.join("; ");
}
