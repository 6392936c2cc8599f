import type { EventBus } from "#conversation";
import type { CommandView, Completion, SessionEvent } from "../api.ts";
import type { CommandCall, CommandServices, Person } from "../commands/command.ts";
import { type CommandCatalog, splitCommand } from "../commands/registry.ts";
import type { CompletionContext } from "../completion/complete.ts";
import type { ProjectFiles } from "../completion/project-files.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { BackgroundWork } from "../turns/background-work.ts";
import type { Turns } from "../turns/turns.ts";
import { surfaceOf } from "./surface.ts";

export interface CommandDispatcherDeps {
  readonly session: SessionDeps;
  /** The session the lines are typed in, as it is now. */
  readonly view: CommandCall["session"];
  readonly source: string;
  readonly person: Person | undefined;
  readonly turns: Turns;
  readonly work: BackgroundWork;
  readonly events: EventBus<SessionEvent>;
  services(): CommandServices;
  onChange(): void;
  readonly signal: AbortSignal;
}

/** Where typed lines arrive: what can be called now, calling it, and completing what is being typed. */
export class CommandDispatcher {
  readonly #deps: CommandDispatcherDeps;
  #files: ProjectFiles | undefined;

  constructor(deps: CommandDispatcherDeps) {
    this.#deps = deps;
  }

  /** What the line calls; undefined when it is words for the model. */
  async find(line: string): Promise<(() => Promise<CommandView>) | undefined> {
    if (splitCommand(line) === undefined) return undefined;
    const { session } = this.#deps;
    const { dispatch } = await import("../commands/dispatch.ts");
    const later = (name: string, work: () => Promise<CommandView>): void => this.#later(name, work);
    const context = await this.#context(this.#deps.signal);
    return async () => (await dispatch(line, { ...context, session, later })) ?? { kind: "nothing" };
  }

  async complete(line: string, signal: AbortSignal): Promise<readonly Completion[]> {
    const [{ completeLine }, { ProjectFiles }] = await Promise.all([
      import("../completion/complete.ts"),
      import("../completion/project-files.ts"),
    ]);
    const { clock, env } = this.#deps.session;
    this.#files ??= new ProjectFiles(clock, env());
    return await completeLine(line, { ...(await this.#context(signal)), files: this.#files });
  }

  async #context(signal: AbortSignal): Promise<Omit<CompletionContext, "files">> {
    const { session: deps, view: session, source } = this.#deps;
    const services = this.#deps.services();
    const surface = surfaceOf(source);
    const { builtinCommands } = await import("../commands/index.ts");
    const catalog: CommandCatalog = {
      builtins: builtinCommands,
      quick: deps.settings.quickCommands,
      plugins: deps.pluginCommands(),
      skills: await services.skills.commands(),
      surface,
      openGates: new Set(deps.settings.allowsVerboseInChats ? ["display.tool_progress_command"] : []),
    };
    return { call: { surface, person: this.#deps.person, session, catalog, signal }, services };
  }

  /** What came of it is a notice: whoever typed the command has gone on since. */
  #later(name: string, work: () => Promise<CommandView>): void {
    const { turns, events, onChange } = this.#deps;
    const show = async (): Promise<void> => {
      const view = await work();
      const level = view.kind === "text" ? (view.level ?? "info") : "info";
      events.emit({ type: "notice", level, text: "text" in view ? view.text : `/${name}: done.` });
      onChange();
    };
    this.#deps.work.start(name, () => turns.between(show));
  }
}
