import { defined } from "#foundation/defined";
import { applyInput, readInput, WireError, wireVersion } from "#session";
import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest } from "../api-error.ts";
import type { Caller } from "../callers.ts";
import { type Body, readBody } from "../request/body.ts";
import { type RunRoutes, runOf } from "./runs.ts";

/** `POST /v1/sessions/{id}/inputs`: what a person decided about something that a turn in this session asks. */
export async function sessionInput(
  request: Request,
  { name, caller }: { readonly name: string; readonly caller: Caller },
  { turns }: ApiContext,
): Promise<Response> {
  const input = read(await readBody(request));
  if (input.type !== "approve" && input.type !== "answer")
    throw badRequest("Only approve and answer are taken here.", { param: "type", code: "invalid_input" });
  const session = turns.asking(caller, name);
  if (session === undefined) throw new ApiError(404, "No turn of that session asks.", { code: "session_not_found" });
  return Response.json(await applyInput(session, input, request.signal));
}

export interface RunDecision {
  readonly kind: "approval" | "question";
  readonly runId: string;
  readonly requestId: string;
  readonly caller: Caller;
}

/** `POST /v1/runs/{id}/approvals/{request_id}` and `…/clarify/{request_id}`: what a person decided about what a run asks. */
export async function runInput(
  request: Request,
  { kind, runId, requestId: id, caller }: RunDecision,
  routes: RunRoutes,
): Promise<Response> {
  const run = await runOf(runId, caller, routes);
  const { decision: choice, reason, answer } = await readBody(request);
  const input =
    kind === "approval"
      ? read({ v: wireVersion, type: "approve", id, choice, ...defined({ reason }) })
      : read({ v: wireVersion, type: "answer", id, text: answer });
  const asked = run.asked.get(id);
  if (asked?.kind !== kind || run.turn === undefined)
    throw new ApiError(404, "The run does not ask that, or not any more.", { code: "request_not_found" });
  if (input.type === "approve" && !asked.choices.includes(input.choice))
    throw badRequest(`The decision must be one of ${asked.choices.join(", ")}.`, { param: "decision" });
  return Response.json(await applyInput(run.turn.session, input, request.signal));
}

function read(body: Body) {
  try {
    return readInput(body);
  } catch (error) {
    if (error instanceof WireError) throw badRequest(error.message, { code: "invalid_input" });
    throw error;
  }
}
