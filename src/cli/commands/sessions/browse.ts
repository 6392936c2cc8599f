import { plural, relativeTime } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import { openAsker } from "../../support/ask.ts";
import { newestSessions } from "./list.ts";

/** A list to search and choose from; the choice is continued. One-shot runs are no conversations to go on with. */
export async function sessionsBrowse(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const sessions = await newestSessions(invocation, 50, { withOneShots: hasFlag(invocation, "one-shots") });
  if (sessions.length === 0) {
    out.line("There are no sessions yet. Start one with: hermes");
    return 0;
  }
  const nowMs = systemClock.now();
  const choices = sessions.map((one) => ({
    label: oneLine(one.title ?? one.preview) || one.id,
    detail: `${relativeTime(one.lastActiveMs, nowMs)} · ${plural(one.messageCount, "message")} · ${one.location?.folder ?? one.source} · ${one.id}`,
    value: one.id as string | undefined,
  }));
  const chosen = await choose(invocation, [...choices, { label: "(none)", detail: "leave", value: undefined }]);
  if (chosen === undefined) return 0;
  const chat = invocation.root.commands?.find((command) => command.name === "chat");
  if (chat?.run === undefined) throw new Error("chat has no program");
  return await chat.run({ ...invocation, args: [], flags: { resume: chosen } });
}

async function choose(
  { io }: Invocation,
  choices: readonly { readonly label: string; readonly detail: string; readonly value: string | undefined }[],
): Promise<string | undefined> {
  using asker = openAsker(io);
  return await asker.choose("Which session?", choices);
}
