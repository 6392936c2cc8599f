import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.ts";
import { useLoaded } from "../shell/use-loaded.ts";
import { Loading } from "./loading.tsx";

interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly schedule: string;
  readonly prompt_preview: string;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
  readonly last_status: string | null;
  readonly enabled: boolean;
  readonly state: string;
}

const empty = { name: "", schedule: "", prompt: "" };

/** What is done later, and when. */
export function SchedulesPage({ api }: PageProps): VNode {
  const [loaded, again] = useLoaded<{ readonly jobs: readonly JobRow[] }>(api, "cron/jobs", 10_000);
  const [job, setJob] = useState(empty);
  const [problem, setProblem] = useState("");
  const act = async (work: Promise<unknown>): Promise<boolean> => {
    setProblem("");
    const isDone = await work.then(
      () => true,
      (error: Error) => {
        setProblem(error.message);
        return false;
      },
    );
    again();
    return isDone;
  };
  const create = (event: Event): void => {
    event.preventDefault();
    void act(api.send("POST", "cron/jobs", job)).then((isDone) => isDone && setJob(empty));
  };
  const change = (name: keyof typeof empty) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setJob({ ...job, [name]: event.currentTarget.value });
  return (
    <>
      <h1>Schedules</h1>
      <form class="form" onSubmit={create}>
        <label>
          When{" "}
          <input
            type="text"
            required
            placeholder="every day at 9:00, every 2h, 0 9 * * 1"
            value={job.schedule}
            onInput={change("schedule")}
          />
        </label>
        <label>
          What <textarea required rows={2} value={job.prompt} onInput={change("prompt")} />
        </label>
        <label>
          Name <input type="text" value={job.name} onInput={change("name")} />
        </label>
        <button type="submit">Create</button>
        {problem !== "" && <p role="alert">{problem}</p>}
      </form>
      <Loading of={loaded}>
        {({ jobs }) => <JobTable jobs={jobs} onAct={(method, path) => void act(api.send(method, path))} />}
      </Loading>
    </>
  );
}

function JobTable({
  jobs,
  onAct,
}: {
  readonly jobs: readonly JobRow[];
  onAct(method: "POST" | "DELETE", path: string): void;
}): VNode {
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
          {jobs.map(({ id, name, schedule, prompt_preview, next_run_at, last_run_at, last_status, enabled }) => (
            <tr key={id}>
              <td>
                <strong>{name}</strong> <small>{prompt_preview}</small>
              </td>
              <td>{schedule}</td>
              <td>{enabled ? (next_run_at ?? "never") : "paused"}</td>
              <td>{last_run_at === null ? "not yet" : `${last_run_at}: ${last_status ?? ""}`}</td>
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
                  onClick={() => onAct("POST", `cron/jobs/${id}/${enabled ? "pause" : "resume"}`)}
                >
                  {enabled ? "Pause" : "Resume"}
                </button>
                <button
                  type="button"
                  class="deny"
                  aria-label={`Delete ${name}`}
                  onClick={() => onAct("DELETE", `cron/jobs/${id}`)}
                >
                  Delete
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {jobs.length === 0 && <p>Nothing is scheduled.</p>}
    </div>
  );
}
