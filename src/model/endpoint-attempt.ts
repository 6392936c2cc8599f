import { type AttemptEvent, type ModelClientDeps, streamModel } from "./client.ts";
import type { ModelFailure } from "./failures/failure.ts";
import type { ModelRequest } from "./request.ts";
import type { EndpointFacts, EndpointMemory } from "./resolve/endpoint/endpoint-memory.ts";
import type { Target } from "./target.ts";

export interface EndpointDeps extends ModelClientDeps {
  readonly endpoints: EndpointMemory;
}

/**
 * One attempt, at an address that may have been written in another way than the server wants it: with or without
 * `/v1`, or for another wire. Where nothing is found there, the other ways are tried once, and what answers is
 * remembered. An endpoint that refuses signed thinking is remembered too.
 */
export async function* streamEndpoint(
  request: ModelRequest,
  deps: EndpointDeps,
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent, void> {
  const { target } = request;
  const { endpoints } = deps;
  if (target.isOwnEndpoint !== true) {
    yield* streamModel(request, deps, signal);
    return;
  }
  if (!endpoints.isLoaded) await endpoints.load();
  const written = target.writtenUrl ?? target.baseUrl;
  const facts = endpoints.facts(written);
  let known: readonly Target[] | undefined;
  // Nearly always the first is the right one; the others are made when they are asked for.
  const ways = (): readonly Target[] => (known ??= inOrder(target, facts));
  const isUsual = facts.baseUrl === undefined || isAt(target, facts);
  for (let index = 0; ; index += 1) {
    const way = index === 0 && isUsual ? withoutThinking(target, facts) : ways()[index];
    if (way === undefined) return;
    let isElsewhere = false;
    let isFirst = true;
    for await (const event of streamModel({ ...request, target: way }, deps, signal)) {
      if (event.type === "attempt-failed") {
        isElsewhere = isNotThere(event.failure) && index < ways().length - 1;
        if (event.failure.kind === "thinking_signature") await endpoints.learn(written, { refusesThinking: true });
        if (isElsewhere) break;
      } else if (isFirst && event.type === "attempt-start") {
        isFirst = false;
        if (way.baseUrl !== target.baseUrl || way.protocol !== target.protocol)
          await endpoints.learn(written, { baseUrl: way.baseUrl, protocol: way.protocol });
      }
      yield event;
    }
    if (!isElsewhere) return;
  }
}

/** What was found before first. */
function inOrder(target: Target, facts: EndpointFacts): readonly Target[] {
  const ways = [target, ...(target.alternatives?.() ?? [])].map((way) => withoutThinking(way, facts));
  const known = ways.find((way) => isAt(way, facts));
  return known === undefined ? ways : [known, ...ways.filter((way) => way !== known)];
}

function isAt(target: Target, facts: EndpointFacts): boolean {
  return target.baseUrl === facts.baseUrl && target.protocol === facts.protocol;
}

function withoutThinking(target: Target, { refusesThinking }: EndpointFacts): Target {
  if (refusesThinking !== true) return target;
  return { ...target, quirks: { ...target.quirks, thinkingReplay: "none" } };
}

/** The server knows no such path; that it knows no such model is something else. */
function isNotThere({ status, kind }: ModelFailure): boolean {
  return (status === 404 || status === 405) && kind !== "model_not_found" && kind !== "provider_policy_blocked";
}
