import { silentLogger } from "#foundation/files/logger";
import { fireSample, Hooks, registerShellHooks } from "#plugins";
import { createInlineShell } from "#skills";
import { childEnvironment, type SessionScope, type Toolbox, type WallDoor } from "#tools";
import type { Invocation } from "../../command.ts";
import { openHooks } from "../hooks/open.ts";

const timeoutMs = 30_000;

/** The ways to run a program that are no tool: hooks of the person, and commands in the texts of skills. */
export function doorsBesideTools(invocation: Invocation, toolbox: Pick<Toolbox, "wall">) {
  return (scope: SessionScope): readonly WallDoor[] => [
    { name: "a shell hook", enter: (command, signal) => runHook(command, { invocation, toolbox, scope }, signal) },
    {
      name: "a command of a skill",
      async enter(command, signal) {
        const env = () => childEnvironment(invocation.io.env, { policy: "minimal" });
        const shell = createInlineShell({ env, timeoutMs, wall: (of, stop) => toolbox.wall(of, stop) })(scope);
        const ran = await shell(command, { cwd: scope.cwd, signal });
        return ran.kind === "failed" ? ran.reason : undefined;
      },
    },
  ];
}

/** Registered and fired as the agent does it; that nobody has allowed it is passed over, for it is ours. */
async function runHook(
  command: string,
  of: { readonly invocation: Invocation; readonly toolbox: Pick<Toolbox, "wall">; readonly scope: SessionScope },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { consent, location } = await openHooks(of.invocation, { isQuiet: true });
  const hooks = new Hooks({ logger: silentLogger });
  const event = "pre_tool_call";
  const hook = { event, argv: ["/bin/bash", "-c", command], timeoutMs, failClosed: false, sandbox: true };
  const registered = await registerShellHooks(hooks, [hook], {
    deps: {
      logger: silentLogger,
      consent,
      autoAccept: true,
      ...location,
      wall: (stop) => of.toolbox.wall(of.scope, stop),
    },
    signal,
  });
  try {
    await fireSample(hooks, { event, payload: {} }, signal);
  } finally {
    for (const one of registered) one[Symbol.dispose]();
  }
  return undefined;
}
