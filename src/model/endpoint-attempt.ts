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
  await endpoints.load();
  const written = target.writtenUrl ?? target.baseUrl;
  const ways = inOrder(target, endpoints.facts(written));
  for (const [index, way] of ways.entries()) {
    const isLast = index === ways.length - 1;
    let isElsewhere = false;
    let isFirst = true;
    for await (const event of streamModel({ ...request, target: way }, deps, signal)) {
      if (event.type === "attempt-failed") {
        isElsewhere = !isLast && isNotThere(event.failure);
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
  const ways = [target, ...(target.alternatives ?? [])].map((way) => withoutThinking(way, facts));
  const known = ways.find((way) => way.baseUrl === facts.baseUrl && way.protocol === facts.protocol);
  return known === undefined ? ways : [known, ...ways.filter((way) => way !== known)];
}

function withoutThinking(target: Target, { refusesThinking }: EndpointFacts): Target {
  if (refusesThinking !== true) return target;
  return { ...target, quirks: { ...target.quirks, thinkingReplay: "none" } };
}

/** The server knows no such path; that it knows no such model is something else. */
function isNotThere({ status, kind }: ModelFailure): boolean {
  return (status === 404 || status === 405) && kind !== "model_not_found" && kind !== "provider_policy_blocked";
}
