import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { WebSocket } from "ws";
import type { Sandbox } from "../sandboxes/sandbox.ts";
import { fileForm, readForm } from "./multipart.ts";
import { SessionCommand } from "./session.ts";

export interface ToolboxRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface ToolboxAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly form?: { readonly boundary: string; readonly pieces: readonly Buffer[] };
}

/** What answers inside a sandbox: sessions with commands, and files. */
export class Toolbox {
  readonly #sandbox: Sandbox;
  readonly #sessions = new Map<string, Map<string, SessionCommand>>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async answer(request: ToolboxRequest): Promise<ToolboxAnswer> {
    const [, kind, what, session = "", act, command = "", more] = request.path.split("/");
    const asked =
      request.contentType.includes("json") && request.body.length > 0 ? JSON.parse(request.body.toString()) : {};
    if (kind === "files" && what === "bulk-upload") return this.#upload(request);
    if (kind === "files" && what === "bulk-download") return this.#download(asked.paths[0]);
    if (kind === "files" && request.method === "DELETE") {
      await rm(this.#inside(request.query.get("path") ?? ""), { force: true });
      return { status: 204 };
    }
    if (kind !== "process" || what !== "session") return { status: 404, json: { message: `no ${request.path}` } };
    if (session === "") {
      this.#sessions.set(asked.sessionId, new Map());
      return { status: 201 };
    }
    const commands = this.#sessions.get(session);
    if (commands === undefined) return { status: 404, json: { message: "session not found" } };
    if (request.method === "DELETE") return this.#delete(session, commands);
    if (act === "exec") return this.#exec(commands, asked.command);
    if (act === "command" && more === "input") commands.get(command)?.input(asked.data);
    return { status: 204 };
  }

  /** Follows the log of a command. */
  follow(target: string, socket: WebSocket): void {
    const [, , , session = "", , command = ""] = target.split("/");
    const found = this.#sessions.get(session)?.get(command);
    if (found === undefined) {
      socket.close(1008, "command not found");
      return;
    }
    found.follow((chunk) => {
      if (chunk === undefined) socket.close(1000);
      else if (socket.readyState === socket.OPEN)
        socket.send(chunk, () => socket.bufferedAmount < 262_144 && found.resume());
      return socket.bufferedAmount < 1_048_576;
    });
  }

  #exec(commands: Map<string, SessionCommand>, command: string): ToolboxAnswer {
    const cmdId = randomUUID();
    commands.set(cmdId, new SessionCommand(this.#sandbox, command));
    return { status: 202, json: { cmdId } };
  }

  #delete(session: string, commands: ReadonlyMap<string, SessionCommand>): ToolboxAnswer {
    this.#sessions.delete(session);
    for (const command of commands.values()) command.end();
    return { status: 204 };
  }

  async #upload({ contentType, body }: ToolboxRequest): Promise<ToolboxAnswer> {
    const parts = readForm(contentType, body);
    const file = parts.find(({ name }) => name.endsWith(".file"));
    const to = parts.find(({ name }) => name.endsWith(".path"))?.body.toString() ?? "";
    if (file === undefined) return { status: 400, json: { message: "no file" } };
    await mkdir(path.dirname(this.#inside(to)), { recursive: true });
    await writeFile(this.#inside(to), file.body);
    return { status: 200 };
  }

  async #download(file: string): Promise<ToolboxAnswer> {
    const boundary = `DAYTONA-${randomUUID()}`;
    const bytes = await readFile(this.#inside(file));
    return { status: 200, form: { boundary, pieces: fileForm(boundary, { path: file, bytes }) } };
  }

  #inside(file: string): string {
    return path.join(this.#sandbox.root, path.posix.normalize(`/${file}`));
  }
}
