import { setImmediate } from "node:timers/promises";
import type {
  AgentContext,
  AvailableCommand,
  ContentBlock,
  PromptResponse,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk/unstable";
import { promptTokens, type TurnResult, totalTokens } from "#conversation";
import { describe, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { onAbort } from "#foundation/lifecycle/abort";
import {
  builtinCommands,
  type CommandView,
  type OpenSession,
  type PickerItem,
  planRequest,
  type SessionEvent,
  type SessionMode,
  viewText,
} from "#session";
import { choicesOf, listModels, modeOf, type SessionChoices } from "./choices.ts";
import { type ApprovalRequested, askPermission } from "./permission.ts";
import { promptInput } from "./prompt-input.ts";
import { replayOf, updatesOf, words } from "./updates.ts";

export interface EditorSessionOptions {
  /** What the editor calls it. Stays, also when `/new` begins another conversation in it. */
  readonly id: string;
  readonly session: OpenSession;
  readonly client: AgentContext;
  readonly takesNotices: boolean;
  readonly logger: Logger;
}

/** One session of an editor: its prompts go in, its events go out, its questions are asked there. */
export class EditorSession implements AsyncDisposable {
  readonly #options: EditorSessionOptions;
  readonly #subscription: Disposable;
  readonly #asked = new Map<string, AbortController>();
  #models: readonly PickerItem[] = [];
  /** What the editor shows now. */
  #shown: { readonly title: string | undefined; readonly mode: SessionMode; readonly model: string };
  #isCancelled = false;
  /** A plan was asked for, and the model does not know it yet. */
  #isPlanNews = false;

  private constructor(options: EditorSessionOptions) {
    this.#options = options;
    this.#shown = this.#facts();
    this.#subscription = options.session.subscribe((event) => this.#see(event));
  }

  static async open(options: EditorSessionOptions): Promise<EditorSession> {
    const editorSession = new EditorSession(options);
    editorSession.#models = await listModels(options.session, (models) => {
      editorSession.#models = models;
      editorSession.#tell({
        sessionUpdate: "config_option_update",
        configOptions: editorSession.choices.configOptions,
      });
    });
    return editorSession;
  }

  get choices(): SessionChoices {
    return choicesOf(this.#options.session.info, this.#models);
  }

  get session(): OpenSession {
    return this.#options.session;
  }

  replay(): void {
    const { session } = this.#options;
    for (const update of replayOf(session.history, session.info.cwd)) this.#tell(update);
  }

  /** What is told right after the answer that makes the session known to the editor. */
  async introduce(signal: AbortSignal): Promise<void> {
    const availableCommands = await commandsOf(this.#options.session, signal);
    // An editor drops what it is told of a session it does not know yet: the answer is written first.
    await setImmediate();
    this.#tell({ sessionUpdate: "available_commands_update", availableCommands });
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { session } = this.#options;
    const input = promptInput(blocks);
    if (input.text.trim() === "" && (input.images ?? []).length === 0) return { stopReason: "end_turn" };
    this.#isCancelled = false;
    using _stop = onAbort(signal, () => this.cancel());
    const isNews = this.#isPlanNews && !input.text.trimStart().startsWith("/");
    if (isNews) this.#isPlanNews = false;
    const submission = await session.submit(isNews ? { ...input, text: planRequest(input.text) } : input);
    if (this.#isCancelled) session.interrupt();
    switch (submission.kind) {
      case "turn":
        return this.#ended(await submission.ended);
      case "command":
        return await this.#show(submission.view);
      case "queued":
      case "steered":
        await session.settled();
        return { stopReason: this.#isCancelled ? "cancelled" : "end_turn" };
      case "duplicate":
        return { stopReason: "end_turn" };
      case "refused":
        throw new UserError(submission.message);
    }
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#options.session.interrupt();
  }

  setMode(mode: SessionMode): void {
    this.#isPlanNews = mode === "plan";
    this.#options.session.setMode(mode);
  }

  /** `provider:model` or a model's name; what was said so far stays. */
  async setModel(model: string): Promise<void> {
    if (!/^[^\s-]\S*$/.test(model)) throw new UserError(`${JSON.stringify(model)} is not a model name.`);
    const submission = await this.#options.session.submit({ text: `/model ${model}` });
    if (submission.kind === "refused") throw new UserError(submission.message);
    if (submission.kind !== "command" || submission.view.kind !== "text") return;
    const { level, text } = submission.view;
    if (level === "error" || level === "warn") throw new UserError(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    for (const asked of this.#asked.values()) asked.abort();
    await this.#options.session[Symbol.asyncDispose]();
  }

  #see(event: SessionEvent): void {
    const { session, takesNotices } = this.#options;
    const { cwd } = session.info;
    for (const update of updatesOf(event, { cwd, takesNotices })) this.#tell(update);
    if (event.type === "approval-request") void this.#ask(event);
    if (event.type === "approval-response") this.#asked.get(event.id)?.abort();
    // The protocol has no way to ask for these, and a password does not belong into an editor's conversation.
    if (event.type === "question-request" || event.type === "secret-request") session.answer(event.id, undefined);
    if (event.type === "session-changed") this.#changed();
  }

  async #ask(request: ApprovalRequested): Promise<void> {
    const { id: sessionId, client, session, logger } = this.#options;
    const stop = new AbortController();
    this.#asked.set(request.id, stop);
    try {
      session.approve(request.id, await askPermission(client, { sessionId, request }, stop.signal));
    } catch (error) {
      session.approve(request.id, "deny");
      if (!stop.signal.aborted) logger.warn("an editor did not answer an approval", { error: describe(error) });
    } finally {
      this.#asked.delete(request.id);
    }
  }

  async #show(view: CommandView): Promise<PromptResponse> {
    if (view.kind === "turn") return this.#ended(await view.ended);
    const text = viewText(view);
    if (text !== "") this.#tell(words("agent_message_chunk", text));
    return { stopReason: "end_turn" };
  }

  #ended(result: TurnResult): PromptResponse {
    const { usage } = result;
    if (result.failed && !this.#isCancelled) throw new UserError(result.error ?? "The turn failed.");
    return {
      stopReason: this.#isCancelled ? "cancelled" : stopReasonOf(result),
      usage: {
        inputTokens: promptTokens(usage),
        outputTokens: usage.output,
        totalTokens: totalTokens(usage),
        thoughtTokens: usage.reasoning,
        cachedReadTokens: usage.cacheRead,
        cachedWriteTokens: usage.cacheWrite,
      },
    };
  }

  /** The title, the mode or the model may have changed by a command, by the session itself, or by the editor. */
  #changed(): void {
    const before = this.#shown;
    const now = this.#facts();
    this.#shown = now;
    if (now.title !== before.title && now.title !== undefined)
      this.#tell({ sessionUpdate: "session_info_update", title: now.title });
    if (now.mode !== before.mode) this.#tell({ sessionUpdate: "current_mode_update", currentModeId: now.mode });
    if (now.mode !== before.mode || now.model !== before.model)
      this.#tell({ sessionUpdate: "config_option_update", configOptions: this.choices.configOptions });
  }

  #facts(): { readonly title: string | undefined; readonly mode: SessionMode; readonly model: string } {
    const { info } = this.#options.session;
    return { title: info.title, mode: modeOf(info), model: `${info.provider}:${info.model}` };
  }

  #tell(update: SessionUpdate): void {
    const { client, id: sessionId, logger } = this.#options;
    client.notify("session/update", { sessionId, update }).catch((error: unknown) => {
      logger.debug("an editor was gone before an update", { error: describe(error) });
    });
  }
}

function stopReasonOf({ exitReason, interrupted }: TurnResult): StopReason {
  if (interrupted) return "cancelled";
  if (exitReason === "max_iterations_reached") return "max_turn_requests";
  return exitReason === "length_truncated" ? "max_tokens" : "end_turn";
}

/** Commands that only work on a screen of Hermes' own. */
const screenOnly: ReadonlySet<string> = new Set(
  builtinCommands
    .filter(({ name, cliOnly }) => cliOnly === true && !["tools", "toolsets", "skills"].includes(name))
    .map(({ name }) => name),
);

async function commandsOf(session: OpenSession, signal: AbortSignal): Promise<AvailableCommand[]> {
  const completions = await session.complete("/", signal);
  return completions.flatMap(({ text, label, detail }): AvailableCommand[] => {
    const name = text.slice(1);
    if (screenOnly.has(name)) return [];
    const hint = label.slice(text.length).trim();
    return [{ name, description: detail, ...(hint === "" ? {} : { input: { hint } }) }];
  });
}
