import { UserError } from "#foundation/errors";
import { linkSignals } from "#foundation/lifecycle/abort";
import { plural } from "#foundation/text/figures";
import { truncateEnd } from "#foundation/text/text";
import {
  hasInlineCommand,
  type RunShell,
  type ShellRun,
  shellText,
  substituteCommands,
} from "../input/inline-shell.ts";
import type { UserAction } from "../state/action.ts";

export interface ShellRunnerDeps {
  readonly run: RunShell | undefined;
  readonly signal: AbortSignal;
  readonly dispatch: (action: UserAction) => void;
}

/** Commands the person types: `!command`, and `{!command}` in a message. One at a time; Ctrl-C stops it. */
export class ShellRunner {
  readonly #deps: ShellRunnerDeps;
  #stop: AbortController | undefined;

  constructor(deps: ShellRunnerDeps) {
    this.#deps = deps;
  }

  /** `!command`: its output, and how it ended. */
  async show(command: string): Promise<void> {
    const { run, dispatch } = this.#deps;
    if (run === undefined)
      throw new UserError("Commands with ! are not available here.", { hint: "Ask Hermes to run it." });
    const ran = await this.#watched(command, run);
    const isBad = ran.kind !== "ended" || ran.exitCode !== 0;
    const text = shellText(ran, "(no output)");
    dispatch({
      type: "show",
      item: { kind: "view", view: { kind: "text", text, ...(isBad ? { level: "warn" } : {}) } },
    });
  }

  /** The message with what its commands printed. */
  async fill(text: string): Promise<string> {
    const { run, dispatch } = this.#deps;
    if (run === undefined || text.startsWith("/") || !hasInlineCommand(text)) return text;
    return substituteCommands(text, async (command) => {
      const ran = await this.#watched(command, run);
      if (ran.kind === "ended") dispatch({ type: "say", level: "info", text: filledText(command, ran) });
      return ran;
    });
  }

  stop(): void {
    this.#stop?.abort(new DOMException("you stopped it", "AbortError"));
  }

  async #watched(command: string, run: RunShell): Promise<ShellRun> {
    const { dispatch, signal } = this.#deps;
    const stop = new AbortController();
    this.#stop = stop;
    dispatch({ type: "command-start", label: `! ${command}`, isShell: true });
    try {
      return await run(command, linkSignals(signal, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      return { kind: "stopped", output: "", why: "stopped" };
    } finally {
      this.#stop = undefined;
      dispatch({ type: "command-end" });
    }
  }
}

const mostShown = 120;

/** What stands in the message now in place of the command: its first line, and how much more there is. */
function filledText(command: string, ran: ShellRun): string {
  const [first = "", ...more] = shellText(ran, "(no output)").split("\n");
  return `{!${command}} → ${truncateEnd(first, mostShown)}${more.length === 0 ? "" : ` (and ${plural(more.length, "more line")})`}`;
}
