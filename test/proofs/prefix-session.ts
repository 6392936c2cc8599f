import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultAgentSettings } from "#agent/testing";
import type { AgentEvent, Message, SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { ModelRequest } from "#model";
import { result, type Tool, ToolFailure } from "#tools";
import { fakeTool, listingOf, registryOf, todoTool } from "#tools/testing";
import { goodSummary } from "../../src/agent/compression/testing/builders.ts";
import { isSummaryCall, openStage, partsTranscript } from "../../src/agent/compression/testing/stage.ts";
import { memoryTool } from "../../src/agent/memory/memory-tool.ts";
import { takeSnapshot } from "../../src/agent/memory/snapshot.ts";
import { memoryStage } from "../../src/agent/memory/testing.ts";
import { NestedHints } from "../../src/agent/prompt/nested-hints.ts";
import { createPromptSource } from "../../src/agent/prompt/prompt-source.ts";
import {
  calls,
  type ModelServer,
  type Reply,
  rateLimited,
  reply,
  says,
  startModelServer,
} from "../fakes/model-server/index.ts";

export const stepsPerTurn = 5;
export const mainModel = "main-model";
export const spareModel = "spare-model";

/** One process: whatever it still does after its end reaches nobody. */
export interface Life {
  readonly isOver: boolean;
  see(event: AgentEvent): void;
}

const endless: Life = { isOver: false, see: () => undefined };

/** What a process that is gone asks for never comes. */
function alive<T>(life: Life, work: () => Promise<T>): Promise<T> {
  return life.isOver ? new Promise<T>(() => undefined) : work();
}

export interface SessionPlan {
  readonly turns: number;
  readonly contextWindow: number;
  /** Turns after which the agent is thrown away and built again from what was recorded. */
  readonly resumeAfter: (turn: number) => boolean;
  /** The turn in which the first model is closed for a minute; the next one goes back to it. */
  readonly fallbackIn?: number;
  readonly protectLastN?: number;
  onRequest?(request: ModelRequest, cause: string | undefined): void;
}

export interface PlayedSession {
  readonly server: ModelServer;
  readonly steps: number;
  readonly compressions: number;
  readonly resumes: number;
  readonly failed: readonly string[];
  readonly messages: readonly Message[];
}

/** A working session as it is lived: notes taken, commands that fail, folders with instructions, a closed model. */
export async function playSession(plan: SessionPlan, project: string): Promise<PlayedSession & AsyncDisposable> {
  const server = await startModelServer({ strict: true });
  const world = await openWorld(server, plan, project);
  const failed: string[] = [];
  let resumes = 0;
  let steps = 0;
  let stage = await world.openStage();
  for (let turn = 0; turn < plan.turns; turn += 1) {
    const ended = await stage.agent.runConversation({ userMessage: question(turn) });
    steps += ended.apiCalls;
    if (!ended.completed) failed.push(`turn ${turn}: ${ended.exitReason} ${ended.error ?? ""}`);
    // Longer than a closed model stays closed.
    await stage.clock.advance(20 * 60_000);
    if (!plan.resumeAfter(turn) || turn === plan.turns - 1) continue;
    await stage[Symbol.asyncDispose]();
    stage = await world.openStage();
    resumes += 1;
  }
  const messages = stage.conversation.history;
  await stage[Symbol.asyncDispose]();
  return {
    server,
    steps,
    resumes,
    compressions: world.compressions(),
    failed,
    messages,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** What the user says in this turn: long enough that shortening results alone does not always make room. */
export function question(turn: number): string {
  return `Turn ${turn}: please go on with the plan. ${`Point ${turn} of it says what part ${turn} has to do. `.repeat(30)}`;
}

/** A project with instructions in its folders; one for all runs that are to be compared. */
export async function makeProject(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-prefix-"));
  for (let index = 0; index < 12; index += 1) {
    const part = path.join(folder, `part${index}`);
    await mkdir(part);
    await writeFile(path.join(part, "AGENTS.md"), `Part ${index}: name tests after behaviours.\n`);
    await writeFile(path.join(part, "code.ts"), `export const part = ${index};\n`);
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Everything of a session that outlives a process. */
export async function openWorld(server: ModelServer, plan: SessionPlan, project: string) {
  const memory = await memoryStage();
  const parts = new Map<SessionId, Message[]>([["part-1" as SessionId, []]]);
  const kept = partsTranscript(parts);
  let stored: { readonly text: string; readonly record?: unknown } | undefined;
  let compressions = 0;
  answer(server, plan);
  const open = async (life = endless) => {
    const lasting = <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) =>
      ((...args: Args) => alive(life, () => work(...args))) as (...args: Args) => Promise<T>;
    const { registry } = registryOf(...[terminal, readFile, memoryTool, todoTool].map((tool) => mortal(tool, life)));
    const listing = await listingOf(registry);
    const history = [...parts.values()].at(-1) ?? [];
    const hints = new NestedHints({
      startDirectory: project,
      log: silentLogger,
      isTrusted: () => true,
      seen: NestedHints.seenIn(history),
    });
    const gather = async () => {
      const snapshot = await takeSnapshot(memory.notes, silentLogger);
      const { memory: memoryBlock, user: profileBlock } = snapshot.blocks;
      return {
        toolNames: [...listing.names],
        model: mainModel,
        provider: "custom",
        toolUseEnforcement: false,
        session: { startedAtMs: Date.UTC(2026, 0, 1), timeZone: "UTC" },
        environment: { isWsl: false, isTermux: false },
        platform: "cli",
        contextFiles: "Rules of this project: keep files short. ".repeat(100),
        ...(memoryBlock === undefined ? {} : { memoryBlock }),
        ...(profileBlock === undefined ? {} : { profileBlock }),
      };
    };
    const prompt = createPromptSource({
      hasHistory: history.length > 0,
      load: () => Promise.resolve(stored),
      save: lasting((text, record) => {
        stored = { text, record };
        return Promise.resolve();
      }),
      gather,
    });
    const target = { model: mainModel, baseUrl: server.anthropicBaseUrl };
    const stage: Awaited<ReturnType<typeof openStage>> = await openStage({
      protocol: "anthropic_messages",
      history: [...history],
      contextWindow: plan.contextWindow,
      target: { ...target, limits: { contextWindow: plan.contextWindow } },
      fallbackChain: [{ provider: "custom", model: spareModel }],
      remedies: {
        resolve: () =>
          Promise.resolve({ kind: "target", target: { ...stage.conversation.primary, model: spareModel } }),
      },
      transcript: {
        record: lasting((messages) => kept.record(messages)),
        amend: lasting((messages) => kept.amend(messages)),
        split: lasting((messages) => kept.split(messages)),
        forget: lasting((uids) => kept.forget(uids)),
      },
      prompt,
      ...(plan.protectLastN === undefined ? {} : { settings: { protectLastN: plan.protectLastN } }),
      compression: {
        onCompression() {
          compressions += 1;
        },
      },
      deps: {
        settings: defaultAgentSettings,
        onRequest(request, cause) {
          if (life.isOver) throw new Error("this process is gone");
          plan.onRequest?.(request, cause);
        },
        tools: {
          listing: () => listing,
          files: { keep: () => Promise.resolve(undefined) },
          redact: (text) => text,
          abilities: () => memory.agent,
          observers: () => [],
          hintsFor: (tool, args) => hints.hintsFor(listing.tools.get(tool), args, never),
        },
      },
    });
    stage.bus.subscribe((event) => life.see(event));
    return stage;
  };
  return {
    openStage: open,
    /** What the store holds of the session now. */
    history: () => [...parts.values()].at(-1) ?? [],
    compressions: () => compressions,
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  };

  function answer(on: ModelServer, { fallbackIn }: SessionPlan): void {
    let step = 0;
    let isClosed = false;
    const answered = new Map<string, Reply>();
    on.onRequest((request) => {
      if (isSummaryCall(request)) return says(goodSummary());
      // Whoever was killed before the answer was stored asks the same again.
      const known = answered.get(request.rawBody);
      if (known !== undefined) return known;
      const turn = Math.floor(step / stepsPerTurn);
      const closesNow = turn === fallbackIn && step % stepsPerTurn === 2 && !isClosed;
      if (closesNow && request.model === mainModel) {
        isClosed = true;
        return rateLimited({ retryAfterMs: 60_000 });
      }
      const said = replyFor(turn, step % stepsPerTurn, project);
      step += 1;
      answered.set(request.rawBody, said);
      return said;
    });
  }
}

function mortal(tool: Tool, life: Life): Tool {
  return { ...tool, execute: (args, context) => alive(life, () => tool.execute(args, context)) };
}

function replyFor(turn: number, step: number, project: string): Reply {
  const id = (n: number) => ({ id: `call_${turn}_${step}_${n}` });
  const note = { action: "add", target: "memory", content: `Fact ${turn}: part ${turn} is done.` };
  const look = { path: path.join(project, `part${turn % 12}`, "code.ts") };
  switch (step) {
    case 0:
      return calls("terminal", { command: `npm test part${turn}` }, id(0));
    case 1:
      if (turn % 3 === 0) return calls("memory", note, id(0));
      return turn % 3 === 1 ? calls("terminal", { command: `fail ${turn}` }, id(0)) : calls("read_file", look, id(0));
    case 2:
      return reply([
        says("Two at once."),
        calls("terminal", { command: `a${turn}` }, id(0)),
        calls("read_file", look, id(1)),
      ]);
    case 3:
      return calls("todo", { todos: [{ id: "1", content: `Part ${turn}`, status: "in_progress" }] }, id(0));
    default:
      return says(`Part ${turn} is finished; the tests pass.`);
  }
}

const terminal = fakeTool("terminal", {
  isIdempotent: true,
  parameters: { type: "object", properties: { command: { type: "string" } } },
  execute: (args) => {
    const command = String(args["command"]);
    if (command.startsWith("fail")) return Promise.reject(new ToolFailure(`${command}: exit code 1`));
    return Promise.resolve(result({ output: `${command}: a line of output that says something.\n`.repeat(30) }));
  },
});

const readFile = fakeTool("read_file", {
  effects: "none",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  execute: (args) => Promise.resolve(result({ content: `// ${path.basename(String(args["path"]))}\n`.repeat(40) })),
});
