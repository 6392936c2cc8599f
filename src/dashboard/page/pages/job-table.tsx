import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Api } from "../shell/api.tsx";
import { ago, moment } from "../shell/figures.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Loading } from "./loading.tsx";

export interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly schedule: string;
  readonly prompt_preview: string;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
  readonly last_status: string | null;
  readonly enabled: boolean;
}

interface JobTableProps {
  readonly api: Api;
  readonly jobs: readonly JobRow[];
  onAct(method: "POST" | "DELETE", path: string): void;
}

export function JobTable({ api, jobs, onAct }: JobTableProps): VNode {
  const [open, setOpen] = useState<string>();
  if (jobs.length === 0) return <p>Nothing is scheduled.</p>;
  return (
    <div class="scrolls">
      <table>
        <thead>
          <tr>
            <th>Job</th>
            <th>Schedule</th>
            <th>Next run</th>
            <th>Last run</th>
            <th>Actions</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <>
              <JobLine
                key={job.id}
                job={job}
                isOpen={open === job.id}
                onOpen={() => setOpen(open === job.id ? undefined : job.id)}
                onAct={onAct}
              />
              {open === job.id && (
                <tr key={`${job.id} history`}>
                  <td colSpan={5}>
                    <History api={api} id={job.id} />
                  </td>
                </tr>
              )}
            </>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface JobLineProps extends Pick<JobTableProps, "onAct"> {
  readonly job: JobRow;
  readonly isOpen: boolean;
  onOpen(): void;
}

function JobLine({ job, isOpen, onOpen, onAct }: JobLineProps): VNode {
  const { id, name, schedule, prompt_preview, next_run_at, last_run_at, last_status, enabled } = job;
  return (
    <tr>
      <td>
        <strong>{name}</strong> <small>{prompt_preview}</small>
      </td>
      <td>{scheduleWords(schedule)}</td>
      <td>{enabled ? (next_run_at === null ? "never" : moment(next_run_at)) : "paused"}</td>
      <td>{last_run_at === null ? "not yet" : `${moment(last_run_at)}: ${last_status ?? ""}`}</td>
      <td class="actions">
        <button
          type="button"
          class="quiet"
          aria-label={`Run now: ${name}`}
          onClick={() => onAct("POST", `cron/jobs/${id}/trigger`)}
        >
          Run now
        </button>
        <button
          type="button"
          class="quiet"
          aria-expanded={isOpen}
          aria-label={`History of ${name}`}
          onClick={() => onOpen()}
        >
          History
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={`${enabled ? "Pause" : "Resume"} ${name}`}
          onClick={() => onAct("POST", `cron/jobs/${id}/${enabled ? "pause" : "resume"}`)}
        >
          {enabled ? "Pause" : "Resume"}
        </button>
        <button
          type="button"
          class="deny"
          aria-label={`Delete ${name}`}
          onClick={() => window.confirm(`Delete "${name}"?`) && onAct("DELETE", `cron/jobs/${id}`)}
        >
          Delete
        </button>
      </td>
    </tr>
  );
}

/** Minutes that are whole hours are said in hours. */
function scheduleWords(schedule: string): string {
  const minutes = Number(/^every (\d+)m$/.exec(schedule)?.[1]);
  return minutes > 0 && minutes % 60 === 0 ? `every ${minutes / 60}h` : schedule;
}

interface Run {
  readonly id: number;
  readonly state: "running" | "ok" | "error" | "skipped" | "abandoned";
  readonly started_at_ms: number;
  readonly ended_at_ms: number | null;
  readonly error: string | null;
}

/** The last runs of a job, as they go on. */
function History({ api, id }: { readonly api: Api; readonly id: string }): VNode {
  const [loaded] = useLoaded<{ readonly runs: readonly Run[] }>(api, `cron/jobs/${id}/runs`, 3000);
  return (
    <Loading of={loaded}>
      {({ runs }) => (
        <ul class="rows">
          {runs.map((run) => (
            <li key={run.id}>
              <strong class={`run ${run.state}`}>{run.state}</strong> {ago(run.started_at_ms)}
              <small>
                {run.ended_at_ms === null ? "" : `, ${((run.ended_at_ms - run.started_at_ms) / 1000).toFixed(1)} s`}
                {run.error === null ? "" : `: ${run.error}`}
              </small>
            </li>
          ))}
          {runs.length === 0 && <li>It has not run yet.</li>}
        </ul>
      )}
    </Loading>
  );
}
