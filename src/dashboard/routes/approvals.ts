import path from "node:path";
import type { Hono } from "hono";
import { UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";
import { readText } from "#foundation/text/read-fields";
import { answerAmong, type SessionRequest, type WaitingApproval, WaitingApprovals } from "#session";
import type { DashboardDeps } from "../deps.ts";
import { endOfFile } from "../file-end.ts";
import { bodyOf, textsIn } from "../request-body.ts";

type Approval = Extract<SessionRequest, { readonly type: "approval-request" }>;
type Deps = Pick<DashboardDeps, "home" | "sessions" | "redact" | "cwd">;

const mostDecided = 200;

/** What waits for the word of a person, here and in other programs on the same store, and what was decided anywhere in this home. */
export function approvalRoutes(app: Hono, deps: DashboardDeps): void {
  const elsewhere = new WaitingApprovals(deps.store, deps.clock);
  app.get("/api/approvals", async (c) => {
    const words = (c.req.query("q") ?? "").toLowerCase();
    const here = waitingIn(deps).map(waitingView(deps));
    const there = (await elsewhere.list()).filter(({ id }) => !here.some((one) => one.id === id));
    return c.json({ waiting: [...here, ...there.map(elsewhereView(deps))], decided: await decided(deps, words) });
  });
  app.post("/api/approvals/:id", async (c) => {
    const { choice } = await textsIn(c, "choice");
    const reason = readText((await bodyOf(c))["reason"]);
    const found = waitingIn(deps).find(({ request }) => request.id === c.req.param("id"));
    if (found === undefined) {
      if (await elsewhere.answer(c.req.param("id"), choice, reason)) return c.json({ outcome: choice });
      throw new UserError("This question is no longer open.", { code: "approval_not_found" });
    }
    const answer = answerAmong(found.request.choices, choice, reason);
    if (answer === undefined) throw new UserError("This answer is not offered.", { code: "bad_request" });
    await using session = await deps.sessions.borrow({
      resume: found.info.id,
      source: "dashboard",
      cwd: deps.cwd,
      isInteractive: true,
    });
    session.approve(found.request.id, answer);
    return c.json({ outcome: choice });
  });
}

function waitingIn({ sessions }: Deps) {
  return sessions
    .live()
    .flatMap(({ info, requests }) =>
      requests
        .filter((request): request is Approval => request.type === "approval-request")
        .map((request) => ({ info, request })),
    );
}

const waitingView =
  ({ redact }: Deps) =>
  ({ info, request }: ReturnType<typeof waitingIn>[number]) => ({
    ...questionView(request, redact),
    session_id: info.id,
    title: info.title ?? null,
    source: info.source,
    is_elsewhere: false,
  });

const elsewhereView =
  ({ redact }: Deps) =>
  (waiting: WaitingApproval) => ({
    ...questionView(waiting, redact),
    session_id: waiting.sessionId,
    title: waiting.title ?? null,
    source: waiting.source,
    is_elsewhere: true,
  });

function questionView(asked: Approval | WaitingApproval, redact: Deps["redact"]) {
  const { id, tool, summary, reasons, choices, scopes, lines, isDestructive } = asked;
  return { id, tool, summary: redact(summary), reasons, choices, scopes, lines, is_destructive: isDestructive };
}

/** From the file of decisions, newest first. A line that is damaged is left out. */
async function decided({ home, redact }: Deps, words: string) {
  const lines = (await endOfFile(path.join(home.logs, "approvals.jsonl"))).split("\n");
  const found = lines.filter((line) => line !== "" && line.toLowerCase().includes(words)).reverse();
  return found.slice(0, mostDecided).flatMap((line) => {
    const parsed = parseJson(redact(line));
    if (!parsed.ok || !isRecord(parsed.value)) return [];
    const { atMs, sessionKey, tool, surface, command, verdict, why, choice } = parsed.value;
    return [{ at_ms: atMs, session_key: sessionKey, tool, surface, command, verdict, why, choice: choice ?? null }];
  });
}
