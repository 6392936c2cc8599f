import { type AssistantMessage, type Message, type ToolCall, type ToolMessage, userMessage } from "#conversation";
import type { Clock } from "#foundation/clock";
import type { Logger } from "#foundation/logger";
import { Collector, type Connections, classify, explain, streamModel, type Target } from "#model";
import { type Listing, type TodoList, Toolbelt } from "#tools";

/** What a line prompt shows of a turn. */
export interface PlainScreen {
  text(piece: string): void;
  line(text: string): void;
}

export interface PlainTurnDeps {
  readonly target: Target;
  readonly connections: Connections;
  readonly listing: Listing;
  readonly todos: TodoList;
  readonly screen: PlainScreen;
  readonly clock: Clock;
  readonly logger: Logger;
  redact(text: string): string;
}

const maxSteps = 20;
const system = "You are Hermes, a personal agent in a terminal. Use the tools; answer briefly.";

/**
 * One turn without recovery, memory or storage: asks, runs the tools it is asked for, and asks again
 * until there is an answer. Gives the messages of the turn; none when the model could not be reached.
 */
export async function plainTurn(
  history: readonly Message[],
  words: string,
  deps: PlainTurnDeps & { readonly signal: AbortSignal },
): Promise<readonly Message[]> {
  const turn: Message[] = [userMessage(words)];
  for (let step = 0; step < maxSteps; step += 1) {
    const reply = await attempt([...history, ...turn], deps);
    if (reply === undefined) return [];
    turn.push(reply);
    const calls = reply.tool_calls ?? [];
    if (calls.length === 0) return turn;
    turn.push(...(await runTools(calls, deps)));
  }
  deps.screen.line(`Stopped after ${maxSteps} steps.`);
  return turn;
}

async function attempt(
  messages: readonly Message[],
  deps: PlainTurnDeps & { readonly signal: AbortSignal },
): Promise<AssistantMessage | undefined> {
  const request = { target: deps.target, system, messages, tools: deps.listing.definitions, options: { stream: true } };
  const collector = new Collector();
  let wasShown = false;
  for await (const event of streamModel(request, { ...deps, classify }, deps.signal)) {
    if (event.type === "attempt-failed") {
      const told = explain(event.failure);
      deps.screen.line(`${told.message} ${told.hint}`);
      return undefined;
    }
    if (event.type === "rate-limits") continue;
    const mayShow = collector.add(event) === "show";
    if (event.type === "text-delta" && mayShow) {
      deps.screen.text(event.text);
      wasShown = true;
    }
  }
  if (wasShown) deps.screen.line("");
  return collector.result().message;
}

async function runTools(
  calls: readonly ToolCall[],
  deps: PlainTurnDeps & { readonly signal: AbortSignal },
): Promise<readonly ToolMessage[]> {
  const belt = new Toolbelt({
    listing: deps.listing,
    files: { keep: () => Promise.resolve(undefined) },
    clock: deps.clock,
    logger: deps.logger,
    redact: (text) => deps.redact(text),
    agentTools: new Map([["todo", deps.todos.execute]]),
  });
  const observer = {
    onStart: (call: ToolCall) =>
      deps.screen.line(`  ┊ ${call.function.name} ${deps.redact(call.function.arguments).slice(0, 100)}`),
  };
  const context = { taskId: "default", sessionId: "plain", sessionKey: "cli", surface: "cli" };
  return belt.run(calls, { context, observer }, deps.signal);
}
