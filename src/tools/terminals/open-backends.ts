import type { TerminalOpener } from "../contract/terminal.ts";
import type { TerminalOpeners } from "./open-terminal.ts";
import type { BackendDeps } from "./remote/backend.ts";

/** Terminals elsewhere: one line each, loaded when a session first works in one. */
export function remoteOpeners(deps: BackendDeps): TerminalOpeners {
  const daytona = lazily(async () => (await import("./daytona/daytona-terminal.ts")).daytonaOpener(deps));
  const modal = lazily(async () => (await import("./modal/modal-terminal.ts")).modalOpener(deps));
  return {
    docker: async (task, signal) => (await import("./docker/docker-host.ts")).openDockerTerminal(deps, task, signal),
    daytona,
    modal,
    singularity: async (task, signal) =>
      (await import("./singularity/singularity-host.ts")).openSingularityTerminal(deps, task, signal),
    ssh: async (task, signal) => (await import("./ssh/ssh-host.ts")).openSshTerminal(deps, task, signal),
  };
}

/** An opener that keeps something between terminals is made once, when it is first needed. */
function lazily(make: () => Promise<TerminalOpener>): TerminalOpener {
  let opener: Promise<TerminalOpener> | undefined;
  return async (task, signal) => {
    opener ??= make();
    return (await opener)(task, signal);
  };
}
