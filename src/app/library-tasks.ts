import { isDeepStrictEqual } from "node:util";
import type { Message } from "#conversation";
import { defined } from "#foundation/defined";
import type { OpenSession } from "#session";

/** What sets a call of the library apart from the conversation it is made on. */
export interface TaskRequest {
  /** The messages so far, as an earlier result had them; an empty list begins anew. It ends with an answer. */
  readonly history?: readonly Message[];
  /** Instructions besides those of the person, instead of those the library was opened with. */
  readonly systemMessage?: string;
  /** Calls with the same one go on together, with one terminal, one browser and one record of what was read. */
  readonly taskId?: string;
}

interface Task {
  readonly session: OpenSession;
  readonly systemMessage: string | undefined;
}

type OpenTask = (request: Pick<TaskRequest, "history" | "systemMessage">) => Promise<OpenSession>;

/** Sessions beside the conversation of a library: one for each task, and one for each call that names none. */
export class LibraryTasks implements AsyncDisposable {
  readonly #open: OpenTask;
  readonly #named = new Map<string, Task>();

  constructor(open: OpenTask) {
    this.#open = open;
  }

  /** Does something in the session of the task; one without a name ends with it. */
  async with<T>(request: TaskRequest, run: (session: OpenSession) => Promise<T>): Promise<T> {
    if (request.taskId !== undefined) return await run(await this.#taken(request.taskId, request));
    const { history = [], systemMessage } = request;
    await using session = await this.#open({ history, ...defined({ systemMessage }) });
    return await run(session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#named.values()];
    this.#named.clear();
    for (const { session } of all) await session[Symbol.asyncDispose]();
  }

  /** The session goes on while it holds what the caller has; another history or other instructions begin it anew. */
  async #taken(taskId: string, { history, systemMessage }: TaskRequest): Promise<OpenSession> {
    const known = this.#named.get(taskId);
    if (known !== undefined) {
      const isSame = history === undefined || isDeepStrictEqual(known.session.history, history);
      if (isSame && (systemMessage === undefined || systemMessage === known.systemMessage)) return known.session;
      this.#named.delete(taskId);
      await known.session[Symbol.asyncDispose]();
    }
    const request = {
      history: history ?? known?.session.history ?? [],
      systemMessage: systemMessage ?? known?.systemMessage,
    };
    const session = await this.#open({
      history: request.history,
      ...defined({ systemMessage: request.systemMessage }),
    });
    this.#named.set(taskId, { session, systemMessage: request.systemMessage });
    return session;
  }
}
