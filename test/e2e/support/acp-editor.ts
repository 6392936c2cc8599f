import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientContext,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { main, type Stage } from "./stage.ts";

export interface EditorOptions {
  readonly capabilities?: ClientCapabilities;
  readonly env?: Readonly<Record<string, string>>;
  /** How the person answers; absent rejects. */
  onPermission?(request: RequestPermissionRequest): RequestPermissionResponse | Promise<RequestPermissionResponse>;
  onRead?(path: string): string | Promise<string>;
  onWrite?(path: string, content: string): void;
}

export const selects = (optionId: string): RequestPermissionResponse => ({
  outcome: { outcome: "selected", optionId },
});

/** An editor: the official library's client side, with the built program as its agent. */
export class Editor implements AsyncDisposable {
  readonly agent: ClientContext;
  readonly updates: SessionNotification[] = [];
  /** Every line the program wrote to standard output. */
  readonly lines: string[] = [];
  readonly #kill: () => Promise<number | null>;
  readonly #watchers = new Set<() => void>();
  stderr = "";

  private constructor(stage: Stage, options: EditorOptions) {
    const child = spawn(process.execPath, [main, "acp"], { cwd: stage.work, env: stage.environment(options.env) });
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.stdin.on("error", () => undefined);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    let rest = "";
    const decoder = new TextDecoder();
    child.stdout.on("data", (bytes: Uint8Array) => {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      this.lines.push(...parts);
    });
    this.#kill = async () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      const code = await exited;
      clearTimeout(timer);
      return code;
    };
    this.kill = async () => {
      child.kill("SIGKILL");
      await exited;
    };
    this.send = (line) => void child.stdin.write(`${line}\n`);
    const app = client({ name: "test" })
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params);
        for (const watcher of this.#watchers) watcher();
      })
      .onRequest(
        "session/request_permission",
        ({ params }) => options.onPermission?.(params) ?? selects("reject_once"),
      );
    if (options.onRead !== undefined)
      app.onRequest("fs/read_text_file", async ({ params }) => ({
        content: (await options.onRead?.(params.path)) ?? "",
      }));
    if (options.onWrite !== undefined)
      app.onRequest("fs/write_text_file", ({ params }) => {
        options.onWrite?.(params.path, params.content);
        return {};
      });
    const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
    this.agent = app.connect(ndJsonStream(Writable.toWeb(child.stdin), input)).agent;
  }

  readonly kill: () => Promise<void>;
  /** A line of the editor's own, past the library. */
  readonly send: (line: string) => void;

  static async open(stage: Stage, options: EditorOptions = {}): Promise<Editor> {
    const editor = new Editor(stage, options);
    await editor.agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: "test", version: "1" },
    });
    return editor;
  }

  async begin(cwd: string): Promise<string> {
    return (await this.agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
  }

  prompt(sessionId: string, text: string) {
    return this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** What was told of a session, of one kind. */
  of<Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind, sessionId?: string) {
    return this.updates
      .filter((one) => sessionId === undefined || one.sessionId === sessionId)
      .map(({ update }) => update)
      .filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind);
  }

  text(sessionId?: string): string {
    return this.of("agent_message_chunk", sessionId)
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Resolves with the first update that fits, also an earlier one. */
  async seen(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate> {
    for (;;) {
      const found = this.updates.find(({ update }) => fits(update));
      if (found !== undefined) return found.update;
      await new Promise<void>((resolve) => {
        const watcher = (): void => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  /** Ends the program as an editor does; gives its exit code. */
  close(): Promise<number | null> {
    return this.#kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kill();
  }
}
