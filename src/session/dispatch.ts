import { describe, UserError } from "#foundation/errors";
import type { CommandView } from "./api.ts";
import type { CommandContext } from "./commands/command.ts";
import { aliasLine, readQuickCommand, runQuickCommand } from "./commands/quick-commands.ts";
import { type ResolvedLine, resolveCommand } from "./commands/registry.ts";
import { fault, say, submissionView, warn } from "./commands/views.ts";

export interface DispatchDeps {
  /** Everything but the words; they differ per line. */
  context(): Promise<Omit<CommandContext, "args" | "words">>;
  /** Does something when the running turn is over, and shows what came of it. */
  later(name: string, work: () => Promise<CommandView>): void;
}

const mostAliases = 5;

/** Runs what a line calls; undefined when the line is words for the model. Errors are shown, never thrown. */
export async function dispatch(line: string, deps: DispatchDeps, depth = 0): Promise<CommandView | undefined> {
  if (!line.trimStart().startsWith("/")) return undefined;
  const base = await deps.context();
  const resolved = resolveCommand(line, base.catalog);
  switch (resolved.kind) {
    case "text":
      return undefined;
    case "builtin":
      return await builtin(resolved, base, deps);
    case "quick":
      return await quick(resolved, { base, deps, depth });
    case "plugin":
      return await guarded(async () => {
        const text = await resolved.def.handler(resolved.args, base.session.info.rootId);
        return text === null || text === "" ? { kind: "nothing" } : say(text);
      });
    case "skill":
      return await guarded(() => skill(resolved, base));
    case "ambiguous":
      return warn(`/${resolved.name} may be: ${resolved.candidates.map((name) => `/${name}`).join(", ")}`);
    case "unavailable":
      return warn(`/${resolved.name} is not available here.`);
    case "unknown": {
      const meant = resolved.suggestion === undefined ? "" : ` Did you mean /${resolved.suggestion}?`;
      return warn(`There is no command /${resolved.name}.${meant} /help lists them.`);
    }
  }
}

type Base = Omit<CommandContext, "args" | "words">;

async function builtin(
  { def, args }: Extract<ResolvedLine, { kind: "builtin" }>,
  base: Base,
  deps: DispatchDeps,
): Promise<CommandView> {
  const words = args === "" ? [] : args.split(/\s+/);
  const context: CommandContext = { ...base, args, words };
  const when = def.whileRunningFor?.(words, base.surface) ?? def.whileRunning;
  if (base.session.info.isBusy && when === "busy")
    return warn(`A turn is running. Wait for its end, or /stop it, then /${def.name} again.`);
  if (base.session.info.isBusy && when === "next") {
    deps.later(def.name, () => guarded(() => def.run(context)));
    return say(`/${def.name} takes effect when this turn is over.`);
  }
  return await guarded(() => def.run(context));
}

async function quick(
  { name, def, args }: Extract<ResolvedLine, { kind: "quick" }>,
  given: { readonly base: Base; readonly deps: DispatchDeps; readonly depth: number },
): Promise<CommandView> {
  const { base, deps, depth } = given;
  const command = readQuickCommand(def);
  if ("problem" in command) return fault(`/${name} cannot be used: ${command.problem} (quick_commands.${name}).`);
  switch (command.type) {
    case "exec": {
      const options = {
        cwd: base.session.info.cwd,
        env: base.deps.env ?? process.env,
        timeoutMs: base.deps.settings.quickCommandTimeoutMs,
      };
      const { text, isError } = await runQuickCommand(command.command, options, base.signal);
      const shown = base.deps.redact?.(text) ?? text;
      return isError ? warn(shown) : say(shown);
    }
    case "alias": {
      if (depth >= mostAliases) return fault(`/${name} leads to itself (quick_commands.${name}).`);
      const target = aliasLine(command.target, args);
      return (await dispatch(target, deps, depth + 1)) ?? fault(`/${name} stands for ${target}, which is no command.`);
    }
    case "prompt":
      return await guarded(async () =>
        submissionView(await base.session.say({ text: args === "" ? command.text : `${command.text}\n\n${args}` })),
      );
  }
}

async function skill({ slug, args }: Extract<ResolvedLine, { kind: "skill" }>, base: Base): Promise<CommandView> {
  const message = await base.session.handle.skills.invoke(slug, args, base.signal);
  if (message === undefined) return warn(`The skill ${slug} cannot be loaded here.`);
  return submissionView(await base.session.say({ text: message.stored, sent: message.sent }));
}

async function guarded(work: () => Promise<CommandView>): Promise<CommandView> {
  try {
    return await work();
  } catch (error) {
    const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : "";
    return fault(`${describe(error)}${hint}`);
  }
}
