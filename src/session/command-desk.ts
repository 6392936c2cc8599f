import type { CommandView, Completion, SessionEvent } from "./api.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { CommandCatalog } from "./commands/catalog.ts";
import type { CommandContext, SessionControl } from "./commands/command.ts";
import { builtinCommands } from "./commands/index.ts";
import { completeLine } from "./completion/complete.ts";
import { ProjectFiles } from "./completion/project-files.ts";
import type { Coordinator } from "./coordinator.ts";
import { dispatch } from "./dispatch.ts";
import type { SessionDeps } from "./session-deps.ts";
import { surfaceOf } from "./surface.ts";

export interface CommandDeskDeps {
  readonly session: SessionDeps;
  readonly control: SessionControl;
  readonly coordinator: Pick<Coordinator, "between">;
  readonly work: BackgroundWork;
  emit(event: SessionEvent): void;
  onChange(): void;
  readonly signal: AbortSignal;
}

/** Where typed lines arrive: what can be called now, calling it, and completing what is being typed. */
export class CommandDesk {
  readonly #deps: CommandDeskDeps;
  readonly #files: ProjectFiles;

  constructor(deps: CommandDeskDeps) {
    this.#deps = deps;
    this.#files = new ProjectFiles(deps.session.clock, deps.session.env ?? {});
  }

  /** Undefined when the line is words for the model. */
  async run(line: string): Promise<CommandView | undefined> {
    return await dispatch(line, {
      context: () => this.#context(),
      later: (name, work) => this.#later(name, work),
    });
  }

  async complete(line: string, signal: AbortSignal): Promise<readonly Completion[]> {
    return await completeLine(line, { ...(await this.#context()), signal, files: this.#files });
  }

  async #context(): Promise<Omit<CommandContext, "args" | "words">> {
    const { session: deps, control: session, signal } = this.#deps;
    const surface = surfaceOf(session.wish.source);
    const catalog: CommandCatalog = {
      builtins: [...builtinCommands, ...(deps.commands ?? [])],
      quick: deps.settings.quickCommands,
      plugins: deps.pluginCommands?.() ?? [],
      skills: await session.handle.skills.commands(),
      surface,
      openGates: new Set(deps.settings.allowsVerboseInChats ? ["display.tool_progress_command"] : []),
    };
    return { surface, session, deps, catalog, signal };
  }

  /** What came of it is a notice: whoever typed the command has gone on since. */
  #later(name: string, work: () => Promise<CommandView>): void {
    const { coordinator, emit, onChange } = this.#deps;
    const show = async (): Promise<void> => {
      const view = await work();
      const level = view.kind === "text" ? (view.level ?? "info") : "info";
      emit({ type: "notice", level, text: "text" in view ? view.text : `/${name}: done.` });
      onChange();
    };
    this.#deps.work.start(name, () => coordinator.between(show));
  }
}
