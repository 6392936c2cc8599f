import { applyInput, readInput, WireError } from "#session";
import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest } from "../api-error.ts";
import type { Caller } from "../callers.ts";
import { type Body, readBody } from "../request/body.ts";

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

function read(body: Body) {
  try {
    return readInput(body);
  } catch (error) {
    if (error instanceof WireError) throw badRequest(error.message, { code: "invalid_input" });
    throw error;
  }
}
