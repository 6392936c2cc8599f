import { isRecord } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import type { SendResult } from "../../platform/outbound.ts";
import type { ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { classOfStatus, failureOf } from "../support/service-error.ts";

/** How comments are written; undefined: no token is set. */
export interface GitHubSettings {
  readonly api: string;
  readonly token: string;
}

const prefix = "github:";
const usualApi = "https://api.github.com";

/** The chat that stands for a pull request or an issue; undefined where repository or number are none. */
export function pullRequestChat(repo: string | undefined, number: string | undefined): string | undefined {
  if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/u.test(repo ?? "") || !/^[1-9]\d{0,9}$/u.test(number ?? "")) return undefined;
  return `${prefix}${repo}#${number}`;
}

export function isPullRequest(chatId: string): boolean {
  return chatId.startsWith(prefix);
}

export function gitHubSettings(value: unknown): GitHubSettings | undefined {
  if (!isRecord(value)) return undefined;
  const { token, api_url: api } = value;
  const text = isRecord(token) && typeof token["reveal"] === "function" ? nonEmpty(token["reveal"]()) : nonEmpty(token);
  return text === undefined ? undefined : { token: text, api: (nonEmpty(api) ?? usualApi).replace(/\/+$/u, "") };
}

/** Comments once: GitHub knows no key, so ours stands in the comment, where nobody sees it, and is looked for first. */
export async function comment(
  { api, token }: GitHubSettings,
  { chatId, text }: { readonly chatId: string; readonly text: string },
  { key, signal, ports }: SendContext & { readonly ports: Pick<ConnectionPorts, "fetch" | "clock"> },
): Promise<SendResult> {
  const [repo, number] = chatId.slice(prefix.length).split("#");
  const url = `${api}/repos/${repo}/issues/${number}/comments`;
  const headers = { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" };
  const mark = `<!-- hermes ${key.replaceAll("--", "-")} -->`;
  try {
    const since = new Date(ports.clock.now() - 86_400_000).toISOString();
    const known = await ports.fetch(`${url}?per_page=100&since=${since}`, { headers, signal });
    if (!known.ok) return refused(known.status);
    const comments: unknown = await known.json();
    const mine = (Array.isArray(comments) ? comments.filter(isRecord) : []).find(({ body }) =>
      String(body).includes(mark),
    );
    if (mine !== undefined) return { kind: "sent", messageId: String(mine["id"]) };
    const body = JSON.stringify({ body: `${text}\n\n${mark}` });
    const made = await ports.fetch(url, { method: "POST", headers, body, signal });
    if (!made.ok) return refused(made.status);
    const answer: unknown = await made.json();
    return { kind: "sent", messageId: isRecord(answer) ? String(answer["id"]) : undefined };
  } catch (error) {
    signal.throwIfAborted();
    // Whether it arrived is found out before it is written again.
    return { ...failureOf(error), errorClass: "network" };
  }
}

function refused(status: number): SendResult {
  return { kind: "failed", errorClass: classOfStatus(status), message: `GitHub answered status ${status}` };
}
