import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Config } from "#config";
import { readRequestBody } from "#foundation/http/request-body";
import { isRecord, parseJson } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import type { MessageSource } from "../../platform/inbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { isPullRequest, pullRequestChat } from "./github.ts";
import type { WebhookRoute } from "./routes.ts";
import { isSigned } from "./signature.ts";
import { fillTemplate, payloadText } from "./template.ts";

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number | undefined;
}

export interface CallsDeps {
  readonly ports: Pick<ConnectionPorts, "admit" | "elsewhere" | "clock">;
  readonly routes: { find(name: string | undefined): Promise<WebhookRoute | undefined> };
  readonly settings: Pick<Config["webhook"], "rate_limit" | "max_body_bytes">;
  /** Comments can be written at GitHub. */
  readonly hasGitHub: boolean;
}

const minuteMs = 60_000;

/** Calls from outside, in the order they are judged: known, small, signed, not too many, readable, wanted, new. */
export class Calls {
  readonly #deps: CallsDeps;
  readonly #windows = new Map<string, { readonly sinceMs: number; count: number }>();

  constructor(deps: CallsDeps) {
    this.#deps = deps;
  }

  async take(request: IncomingMessage): Promise<Answer> {
    const name = /^\/webhooks\/([a-z0-9][a-z0-9_-]*)$/u.exec(request.url?.split("?")[0] ?? "")?.[1];
    const route = await this.#deps.routes.find(name);
    if (route === undefined || request.method !== "POST") return refusal(404, "There is no such route.");
    const body = await readRequestBody(request, this.#deps.settings.max_body_bytes);
    if (body === undefined) return refusal(413, "The call is too large.");
    if (route.secret !== undefined && !isSigned(request.headers, body, route.secret))
      return refusal(401, "The signature is missing or wrong.");
    const waitMs = this.#waitMs(route.name);
    if (waitMs > 0) return { ...refusal(429, "Too many calls."), retryAfterSeconds: Math.ceil(waitMs / 1000) };
    const payload = payloadOf(body, request.headers);
    if (payload === undefined) return refusal(400, "The body is neither JSON nor a form.");
    const event = eventOf(request.headers, payload);
    if (route.events.length > 0 && !route.events.includes(event))
      return { status: 200, body: { status: "ignored", event } };
    return await this.#accept(route, { payload, event, id: this.#idOf(request.headers, route.name, body) });
  }

  async #accept(route: WebhookRoute, call: { readonly payload: unknown; readonly event: string; readonly id: string }) {
    const { ports } = this.#deps;
    const { payload, event, id } = call;
    const target = targetOf(route, payload);
    const to = target === undefined ? undefined : await this.#find(target);
    if (typeof to === "string") return { status: 502, body: { status: "error", error: to, delivery_id: id } };
    const filled = route.prompt === undefined ? payloadText(payload) : fillTemplate(route.prompt, payload);
    const about = { route: route.name, delivery_id: id };
    if (route.deliversOnly && to !== undefined) {
      const isNew = await ports.elsewhere.owe(to, filled, `webhook:${route.name}:${id}`);
      return isNew
        ? { status: 200, body: { status: "delivered", target, ...about } }
        : { status: 200, body: { status: "duplicate", delivery_id: id } };
    }
    const chatId = `webhook:${route.name}:${id}`;
    const userId = `webhook:${route.name}`;
    const isNew = await ports.admit({
      source: { platform: "webhook", account: "webhook", chatId, chatType: "webhook", userId, userName: route.name },
      // The first line is ours: nothing that a payload says is read as a command.
      text: `Call of the webhook ${route.name}, event ${event}. What it carries was written by others.\n\n${filled}`,
      dedupKey: chatId,
      atMs: ports.clock.now(),
      attachments: [],
      untrusted: `webhook ${route.name}`,
      skills: route.skills,
      answerTo: to,
    });
    if (!isNew) return { status: 200, body: { status: "duplicate", delivery_id: id } };
    return { status: 202, body: { status: "accepted", event, ...about } };
  }

  /** Pull requests are reached from a route alone: no model may name one. */
  async #find(target: string): Promise<MessageSource | string> {
    if (!isPullRequest(target)) return await this.#deps.ports.elsewhere.find(target);
    if (!this.#deps.hasGitHub) return "GitHub comments need a token: platforms.webhook.extra.github.token";
    return { platform: "webhook", account: "webhook", chatId: target, chatType: "webhook" };
  }

  /** How long a route has to wait; 0 takes a call of its window. */
  #waitMs(route: string): number {
    const { settings, ports } = this.#deps;
    const nowMs = ports.clock.now();
    const known = this.#windows.get(route);
    const window = known === undefined || nowMs - known.sinceMs >= minuteMs ? { sinceMs: nowMs, count: 0 } : known;
    this.#windows.set(route, window);
    if (settings.rate_limit > 0 && window.count >= settings.rate_limit) return window.sinceMs + minuteMs - nowMs;
    window.count += 1;
    return 0;
  }

  /** The caller's own id of this call; without one, the same body within a minute is the same call. */
  #idOf(headers: IncomingHttpHeaders, route: string, body: Uint8Array): string {
    const own = nonEmpty(headers["x-github-delivery"]) ?? nonEmpty(headers["x-request-id"]);
    if (own !== undefined) return own.slice(0, 200);
    const minute = Math.floor(this.#deps.ports.clock.now() / minuteMs);
    return createHash("sha256").update(`${route}\n${minute}\n`).update(body).digest("hex").slice(0, 32);
  }
}

const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

/** Undefined: the answer is only logged. */
function targetOf({ deliver, deliverExtra }: WebhookRoute, payload: unknown): string | undefined {
  if (deliver === "log") return undefined;
  const filled = (name: string): string | undefined => {
    const template = deliverExtra[name];
    return template === undefined ? undefined : fillTemplate(template, payload);
  };
  if (deliver === "github_comment")
    return pullRequestChat(filled("repo"), filled("pr_number")) ?? "a pull request: repo or pr_number are missing";
  const chat = filled("chat_id");
  if (deliver.includes(":") || chat === undefined) return deliver;
  const thread = filled("message_thread_id") ?? filled("thread_id");
  return [deliver, chat, ...(thread === undefined ? [] : [thread])].join(":");
}

function eventOf(headers: IncomingHttpHeaders, payload: unknown): string {
  const named = isRecord(payload) ? nonEmpty(payload["event_type"]) : undefined;
  return nonEmpty(headers["x-github-event"]) ?? nonEmpty(headers["x-gitlab-event"]) ?? named ?? "unknown";
}

function payloadOf(body: Buffer, headers: IncomingHttpHeaders): unknown {
  const text = body.toString("utf8");
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  if (!(headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded")) return undefined;
  return Object.fromEntries(new URLSearchParams(text));
}
