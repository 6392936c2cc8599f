import { describe, UserError } from "#foundation/errors";
import type { CommandView } from "../api.ts";
import type { SessionDeps } from "../session-deps.ts";
import { type CommandCall, type CommandServices, takenFrom } from "./command.ts";
import { aliasLine, readQuickCommand, runQuickCommand } from "./quick-commands.ts";
import { type ResolvedLine, resolveCommand } from "./registry.ts";
import { fault, say, submissionView, warn } from "./views.ts";

export interface DispatchDeps {
  /** Everything but the words; they differ per line. */
  readonly call: Omit<CommandCall, "args" | "words">;
  readonly services: CommandServices;
  readonly session: Pick<SessionDeps, "env" | "settings" | "redact">;
  /** Does something when the running turn is over, and shows what came of it. */
  later(name: string, work: () => Promise<CommandView>): void;
}

const mostAliases = 5;

/** Runs what a line calls; undefined when the line is words for the model. Errors are shown, never thrown. */
export async function dispatch(line: string, deps: DispatchDeps, depth = 0): Promise<CommandView | undefined> {
  const { call, services } = deps;
  const resolved = resolveCommand(line, call.catalog);
  switch (resolved.kind) {
    case "text":
      return undefined;
    case "builtin":
      return await builtin(resolved, deps);
    case "quick":
      return await quick(resolved, deps, depth);
    case "plugin":
      return await shown(async () => {
        const text = await resolved.def.handler(resolved.args, call.session.info.rootId);
        return text === null || text === "" ? { kind: "nothing" } : say(text);
      });
    case "skill":
      return await shown(async () => {
        const message = await services.skills.invoke(resolved.slug, resolved.args, call.signal);
        if (message === undefined) return warn(`The skill ${resolved.slug} cannot be loaded here.`);
        return submissionView(await services.turns.say({ text: message.stored, sent: message.sent, images: [] }));
      });
    case "ambiguous":
      return warn(`/${resolved.name} may be: ${resolved.candidates.map((name) => `/${name}`).join(", ")}`);
    case "unavailable":
      return warn(`/${resolved.name} is not available here, only in the terminal.`);
    case "unknown": {
      const meant = resolved.suggestion === undefined ? "" : ` Did you mean /${resolved.suggestion}?`;
      return warn(`There is no command /${resolved.name}.${meant} /help lists them.`);
    }
  }
}

async function builtin(
  { def, args }: Extract<ResolvedLine, { kind: "builtin" }>,
  { call, services, later }: DispatchDeps,
): Promise<CommandView> {
  const words = args === "" ? [] : args.split(/\s+/);
  const run = () => shown(() => def.run({ ...call, args, words }, takenFrom(services, def)));
  const when = def.whileRunningFor?.(words, call.surface) ?? def.whileRunning;
  if (!services.turns.isBusy || when === "now") return await run();
  if (when === "busy")
    return warn(`A turn is running. Wait until it ends, or /stop it, and then run /${def.name} again.`);
  later(def.name, run);
  return say(`/${def.name} takes effect when this turn ends.`);
}

async function quick(
  { name, def, args }: Extract<ResolvedLine, { kind: "quick" }>,
  deps: DispatchDeps,
  depth: number,
): Promise<CommandView> {
  const command = readQuickCommand(def);
  if ("problem" in command) return fault(`/${name} cannot be used: ${command.problem} (quick_commands.${name}).`);
  switch (command.type) {
    case "exec":
      return await exec(command.command, deps);
    case "alias": {
      if (depth >= mostAliases) return fault(`/${name} leads to itself (quick_commands.${name}).`);
      const target = aliasLine(command.target, args);
      const view = await dispatch(target, deps, depth + 1);
      return view ?? fault(`/${name} stands for ${target}, which is not a command.`);
    }
    case "prompt": {
      const text = args === "" ? command.text : `${command.text}\n\n${args}`;
      return await shown(async () => submissionView(await deps.services.turns.say({ text, images: [] })));
    }
  }
}

async function exec(command: string, { call, session }: DispatchDeps): Promise<CommandView> {
  const { env, settings, redact } = session;
  const options = { cwd: call.session.info.cwd, env: env(), timeoutMs: settings.quickCommandTimeoutMs };
  const { text, isError } = await runQuickCommand(command, options, call.signal);
  return isError ? warn(redact(text)) : say(redact(text));
}

async function shown(work: () => Promise<CommandView>): Promise<CommandView> {
  try {
    return await work();
  } catch (error) {
    const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : "";
    return fault(`${describe(error)}${hint}`);
  }
}
