import type { TerminalOpeners } from "./open-terminal.ts";
import type { BackendDeps } from "./remote/backend.ts";

/** Terminals elsewhere: one line each, loaded when a session first works in one. */
export function remoteOpeners(deps: BackendDeps): TerminalOpeners {
  return {
    docker: async (task, signal) => (await import("./docker/docker-host.ts")).openDockerTerminal(deps, task, signal),
    singularity: async (task, signal) =>
      (await import("./singularity/singularity-host.ts")).openSingularityTerminal(deps, task, signal),
    ssh: async (task, signal) => (await import("./ssh/ssh-host.ts")).openSshTerminal(deps, task, signal),
  };
}
