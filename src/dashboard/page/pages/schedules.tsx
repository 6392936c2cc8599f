import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.tsx";
import { useAction } from "../shell/use-action.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { type JobRow, JobTable } from "./job-table.tsx";
import { Loading } from "./loading.tsx";
import { Problem } from "./problem.tsx";
import { TimeLine, type Upcoming } from "./time-line.tsx";

const empty = { name: "", schedule: "", prompt: "" };

/** What is done later, and when. */
export function SchedulesPage({ api }: PageProps): VNode {
  const [loaded, again] = useLoaded<{ readonly jobs: readonly JobRow[]; readonly has_scheduler: boolean }>(
    api,
    "cron/jobs",
    10_000,
  );
  const [upcoming, lookAhead] = useLoaded<Upcoming>(api, "cron/upcoming?days=7", 60_000);
  const [job, setJob] = useState(empty);
  const { problem, run } = useAction(() => {
    again();
    lookAhead();
  });
  const create = (event: Event): void => {
    event.preventDefault();
    void run(api.send("POST", "cron/jobs", job)).then((isDone) => isDone && setJob(empty));
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
            placeholder="every day at 9:00, in 20 minutes, every 2h, 0 9 * * 1"
            value={job.schedule}
            onInput={change("schedule")}
          />
        </label>
        <label>
          What{" "}
          <textarea
            required
            rows={2}
            placeholder="Summarise what changed in the repository."
            value={job.prompt}
            onInput={change("prompt")}
          />
        </label>
        <label>
          Name <input type="text" placeholder="made from the task" value={job.name} onInput={change("name")} />
        </label>
        <button type="submit">Create</button>
        <Problem text={problem} />
      </form>
      <h2>The next seven days</h2>
      <Loading of={upcoming}>{(found) => <TimeLine upcoming={found} />}</Loading>
      <h2>Jobs</h2>
      <Loading of={loaded}>
        {({ jobs, has_scheduler: hasScheduler }) => (
          <>
            {!hasScheduler && jobs.length > 0 && (
              <p class="hint">
                Jobs wait until the gateway runs: <code>hermes gateway run</code>
              </p>
            )}
            <JobTable api={api} jobs={jobs} onAct={(method, path) => void run(api.send(method, path))} />
          </>
        )}
      </Loading>
    </>
  );
}
