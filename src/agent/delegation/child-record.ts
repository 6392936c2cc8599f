import { type AgentEvent, callsOf, type Message, type ToolDetails, textOf } from "#conversation";
import { truncateEnd } from "#foundation/text/text";

export interface TraceEntry {
  readonly tool: string;
  readonly args_bytes: number;
  readonly result_bytes: number;
  readonly status: "ok" | "error" | "unfinished";
}

const maxTrace = 200;
const maxFiles = 40;
const maxOutputs = 8;
const outputCharacters = 600;

/**
 * What a child has done so far, gathered while it works: it is complete up to the last moment whichever way the
 * child ends, also when nobody waits for its result any more.
 */
export class ChildRecord {
  readonly #trace = new Map<string, TraceEntry>();
  readonly #failed = new Set<string>();
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();
  readonly #outputs: string[] = [];
  readonly toolNames: string[] = [];
  /** Good replies of the model. */
  replies = 0;
  /** Attempts, good or not. */
  attempts = 0;
  step = 0;
  /** The tool that runs now. */
  currentTool: string | undefined;
  lastEvent = "none";

  /** Every event of the child, in order. */
  observe(event: AgentEvent): void {
    this.lastEvent = event.type;
    if (event.type === "step-start") this.step = event.step;
    else if (event.type === "attempt-start") this.attempts += 1;
    else if (event.type === "message-end") this.replies += 1;
    else if (event.type === "tool-start") {
      this.toolNames.push(event.name);
      this.currentTool = event.name;
    } else if (event.type === "tool-end") {
      this.currentTool = undefined;
      if (event.isError) this.#failed.add(event.callId);
      if (event.details?.kind === "files") this.#noteFiles(event.details);
    }
  }

  /** Every message of the child, as it is recorded. */
  recorded(messages: readonly Message[]): void {
    for (const message of messages) {
      for (const call of callsOf(message)) {
        const { name, arguments: args } = call.function;
        this.#trace.set(call.id, entry(name, Buffer.byteLength(args), { result_bytes: 0, status: "unfinished" }));
      }
      if (message.role === "tool") this.#noteResult(message.tool_call_id, textOf(message.content));
    }
  }

  get trace(): readonly TraceEntry[] {
    return [...this.#trace.values()].slice(-maxTrace);
  }

  get filesRead(): readonly string[] {
    return [...this.#read].slice(-maxFiles);
  }

  get filesWritten(): readonly string[] {
    return [...this.#written].slice(-maxFiles);
  }

  get outputs(): readonly string[] {
    return this.#outputs;
  }

  #noteResult(callId: string, text: string): void {
    const open = this.#trace.get(callId);
    if (open !== undefined) {
      const status = this.#failed.has(callId) ? "error" : "ok";
      this.#trace.set(callId, { ...open, result_bytes: Buffer.byteLength(text), status });
    }
    this.#outputs.push(truncateEnd(text, outputCharacters));
    if (this.#outputs.length > maxOutputs) this.#outputs.shift();
  }

  #noteFiles({ read = [], changed = [] }: Extract<ToolDetails, { readonly kind: "files" }>): void {
    for (const file of read) this.#read.add(file);
    for (const file of changed) this.#written.add(file);
  }
}

function entry(tool: string, argsBytes: number, rest: Pick<TraceEntry, "result_bytes" | "status">): TraceEntry {
  return { tool, args_bytes: argsBytes, ...rest };
}
