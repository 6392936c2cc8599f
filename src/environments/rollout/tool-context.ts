import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe } from "#foundation/errors";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import type { SessionScope, Terminal, Toolbox } from "#tools";

export interface CommandResult {
  readonly exit_code: number;
  readonly output: string;
  readonly error?: string | undefined;
}

type ToolAnswer = Readonly<Record<string, unknown>>;

const commandSeconds = 180;
const callMs = 300_000;
const largestFile = 256 * 1024 * 1024;

/**
 * What a reward function looks at a rollout with: the very terminal, files and browser the model worked in. Commands are
 * the environment's own and need no approval; paths may begin with `~`.
 */
export class ToolContext {
  readonly #tools: Toolbox;
  readonly #scope: SessionScope;
  readonly #signal: AbortSignal;

  constructor(tools: Toolbox, scope: SessionScope, signal: AbortSignal) {
    this.#tools = tools;
    this.#scope = scope;
    this.#signal = signal;
  }

  get taskId(): string {
    return this.#scope.key;
  }

  async terminal(command: string, timeoutSeconds = commandSeconds): Promise<CommandResult> {
    try {
      const terminal = await this.#terminal();
      const { exitCode, output } = await terminal.exec(command, {
        timeoutMs: timeoutSeconds * 1000,
        signal: this.#signal,
      });
      return { exit_code: exitCode, output };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { exit_code: -1, output: "", error: describe(error) };
    }
  }

  /** The text as it is; undefined when there is no such file. */
  async readText(file: string): Promise<string | undefined> {
    const bytes = await this.#read(file);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
  }

  readFile(file: string): Promise<ToolAnswer> {
    return this.#answer("read_file", { path: file });
  }

  async writeFile(file: string, content: string): Promise<ToolAnswer> {
    try {
      const terminal = await this.#terminal();
      const bytes = Buffer.from(content);
      await terminal.files.write(inside(terminal, file), bytes, this.#signal);
      return { bytes_written: bytes.length };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { error: describe(error) };
    }
  }

  search(query: string, folder = "."): Promise<ToolAnswer> {
    return this.#answer("search_files", { pattern: query, path: folder });
  }

  async uploadFile(local: string, remote: string): Promise<CommandResult> {
    let bytes: Uint8Array;
    try {
      bytes = await readFile(local);
    } catch {
      return { exit_code: -1, output: `Local file not found: ${local}` };
    }
    try {
      const terminal = await this.#terminal();
      await terminal.files.write(inside(terminal, remote), bytes, this.#signal);
      return { exit_code: 0, output: "" };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { exit_code: 1, output: describe(error) };
    }
  }

  async uploadDir(localFolder: string, remoteFolder: string): Promise<readonly CommandResult[]> {
    const results: CommandResult[] = [];
    for (const name of (await filesBelow(localFolder)).sort())
      results.push(await this.uploadFile(path.join(localFolder, name), path.posix.join(remoteFolder, name)));
    return results;
  }

  async downloadFile(
    remote: string,
    local: string,
  ): Promise<{ readonly success: true; readonly bytes: number } | { readonly success: false; readonly error: string }> {
    try {
      const bytes = await this.#read(remote);
      if (bytes === undefined) return { success: false, error: `${remote} is not there` };
      await mkdir(path.dirname(local), { recursive: true });
      await writeFile(local, bytes);
      return { success: true, bytes: bytes.length };
    } catch (error) {
      this.#signal.throwIfAborted();
      return { success: false, error: describe(error) };
    }
  }

  async downloadDir(remoteFolder: string, localFolder: string) {
    const listed = await this.terminal(`(cd ${quoted(remoteFolder)} && find . -type f)`);
    const names = listed.exit_code === 0 ? listed.output.split("\n").filter((name) => name.startsWith("./")) : [];
    if (names.length === 0) return [{ success: false as const, error: `${remoteFolder} is empty or not there` }];
    return await Promise.all(
      names.sort().map((name) => this.downloadFile(path.posix.join(remoteFolder, name), path.join(localFolder, name))),
    );
  }

  webSearch(query: string): Promise<ToolAnswer> {
    return this.#answer("web_search", { query });
  }

  webExtract(urls: readonly string[]): Promise<ToolAnswer> {
    return this.#answer("web_extract", { urls });
  }

  browserNavigate(url: string): Promise<ToolAnswer> {
    return this.#answer("browser_navigate", { url });
  }

  browserSnapshot(): Promise<ToolAnswer> {
    return this.#answer("browser_snapshot", {});
  }

  /** Any tool, as the model would call it; its answer as text. */
  async callTool(tool: string, args: ToolAnswer): Promise<string> {
    using limit = deadline(callMs);
    return await this.#tools.callTool(
      { tool, args },
      {
        taskId: this.#scope.key,
        scope: this.#scope,
        callId: `reward-${tool}`,
        sessionId: this.#scope.key,
        enabledTools: new Set([tool]),
        signal: linkSignals(this.#signal, limit.signal),
        progress: () => undefined,
      },
    );
  }

  async #answer(tool: string, args: ToolAnswer): Promise<ToolAnswer> {
    const text = await this.callTool(tool, args);
    const parsed = parseJson(text);
    return parsed.ok && isRecord(parsed.value) ? parsed.value : { content: text };
  }

  #terminal(): Promise<Terminal> {
    return this.#tools.terminal({ taskId: this.#scope.key, scope: this.#scope }, this.#signal);
  }

  async #read(file: string): Promise<Uint8Array | undefined> {
    const terminal = await this.#terminal();
    const at = inside(terminal, file);
    const found = await terminal.files.stat(at, { followLinks: true, signal: this.#signal });
    if (found?.kind !== "file") return undefined;
    return await terminal.files.read(at, { maxBytes: largestFile, signal: this.#signal });
  }
}

function inside(terminal: Terminal, file: string): string {
  return path.posix.resolve(terminal.cwd, file.replace(/^~(?=$|\/)/, terminal.home));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
