import { openProgressServer, progressLines, type RunEvent, RunProgress } from "#environments";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText } from "../../invocation.ts";

/** How a person, or a program, follows a run. */
export interface RunView extends AsyncDisposable {
  tell(event: RunEvent): void;
  /** A line for people. */
  note(line: string): void;
}

const refreshMs = 500;
const usualColumns = 80;
const usualRows = 24;

/** `--ui`: figures that stay at the bottom of a terminal, else lines; a page on this machine; or events for a program. */
export async function openRunView(invocation: Invocation): Promise<RunView> {
  const { io } = invocation;
  const wanted = flagText(invocation, "ui") ?? (io.stderr.isTTY === true ? "screen" : "lines");
  switch (wanted) {
    case "json":
      return {
        ...lines(io),
        tell: (event) => void io.stdout.write(`${JSON.stringify({ ...event, time: new Date().toISOString() })}\n`),
      };
    case "web": {
      const server = await openProgressServer({
        host: "127.0.0.1",
        port: flagNumber(invocation, "ui-port", { usual: 0, min: 0, max: 65_535 }),
        now: Date.now,
      });
      io.stderr.write(`The run is shown at ${server.url}\n`);
      return { ...lines(io), tell: server.tell, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    }
    case "screen":
      return screen(io);
    default:
      return lines(io);
  }
}

function lines(io: Invocation["io"]): RunView {
  return {
    tell: () => undefined,
    note: (line) => void io.stderr.write(`${line}\n`),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function screen({ stderr }: Invocation["io"]): RunView {
  const progress = new RunProgress(Date.now);
  let drawn = 0;
  const erased = (): string => (drawn === 0 ? "" : `\x1b[${drawn}F\x1b[J`);
  const draw = (above = ""): void => {
    const { columns = usualColumns, rows = usualRows } = stderr;
    const shown = progressLines(progress.view(), { columns, rows });
    stderr.write(`${erased()}${above}${shown.join("\n")}\n`);
    drawn = shown.length;
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    tell(event) {
      progress.add(event);
      if (event.event !== "run_started" || timer !== undefined) return;
      timer = setInterval(() => draw(), refreshMs);
      draw();
    },
    note(line) {
      if (timer === undefined) stderr.write(`${line}\n`);
      else draw(`${line}\n`);
    },
    [Symbol.asyncDispose]() {
      clearInterval(timer);
      if (timer !== undefined) draw();
      return Promise.resolve();
    },
  };
}
