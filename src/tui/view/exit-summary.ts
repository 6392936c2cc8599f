import { callsOf, type Message } from "#conversation";
import { shortDuration } from "#foundation/text/figures";
import type { SessionInfo } from "#session";
import type { Line } from "../text/styled.ts";
import type { Skin } from "../theme/skin.ts";

/** How to come back, and what happened; an empty session has nothing but a goodbye. The first turn may still be running. */
export function exitRows(
  session: { readonly info: SessionInfo; readonly history: readonly Message[] } | undefined,
  skin: Skin,
  { nowMs, isAtWork, program }: { readonly nowMs: number; readonly isAtWork: boolean; readonly program: string },
): Line[] {
  const goodbye: Line = [{ text: skin.branding.goodbye, style: "banner-dim" }];
  if (session === undefined || (session.history.length === 0 && !isAtWork)) return [goodbye];
  const { info, history } = session;
  const users = history.filter((message) => message.role === "user").length;
  const calls = history.reduce((sum, message) => sum + callsOf(message).length, 0);
  const row = (label: string, text: string): Line => [{ text: label.padEnd(11), style: "dim" }, { text }];
  const rows = [[], row("Resume", `${program} --resume ${info.id}`)];
  if (info.title !== undefined)
    rows.push(row("", `${program} --continue ${quoted(info.title)}`), row("Title", info.title));
  rows.push(row("Session", info.id), row("Duration", shortDuration(nowMs - info.startedAtMs)));
  const { processes = [] } = info;
  if (processes.length > 0) rows.push(row("Stopped", processes.join(", ")));
  if (history.length > 0)
    rows.push(
      row("Messages", `${history.length} (${users} from you, ${calls} tool ${calls === 1 ? "call" : "calls"})`),
    );
  return [...rows, goodbye];
}

function quoted(title: string): string {
  return `"${title.replaceAll('"', '\\"')}"`;
}
