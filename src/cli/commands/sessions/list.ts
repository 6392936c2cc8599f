import { relativeTime } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import type { SessionSummary } from "#store";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { openExistingStore } from "../../support/store.ts";

export async function sessionsList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const sessions = await newestSessions(invocation, 20, { withOneShots: true });
  out.document({ sessions: snakeCase(sessions) });
  if (sessions.length === 0) {
    const source = flagText(invocation, "source");
    out.line(
      source === undefined
        ? "There are no sessions yet. Start one with: hermes"
        : `No session has the source "${source}".`,
    );
    return 0;
  }
  const nowMs = systemClock.now();
  const active = (one: SessionSummary): string => relativeTime(one.lastActiveMs, nowMs);
  if (sessions.some((one) => one.title !== undefined)) {
    out.table(
      [
        { title: "Title", isFlexible: true },
        { title: "Preview", isFlexible: true },
        { title: "Last Active" },
        { title: "ID" },
      ],
      sessions.map((one) => [one.title ?? "-", one.preview, active(one), one.id]),
    );
    return 0;
  }
  out.table(
    [{ title: "Preview", isFlexible: true }, { title: "Last Active" }, { title: "Src" }, { title: "ID" }],
    sessions.map((one) => [one.preview, active(one), one.source, one.id]),
  );
  return 0;
}

/** Sessions of tools are not a person's and are left out unless asked for by name. */
export async function newestSessions(
  invocation: Invocation,
  usual: number,
  { withOneShots }: { readonly withOneShots: boolean },
): Promise<readonly (SessionSummary & { readonly location?: { readonly folder: string } | undefined })[]> {
  const limit = flagNumber(invocation, "limit", { usual });
  const source = flagText(invocation, "source");
  await using store = await openExistingStore(invocation);
  if (store === undefined) return [];
  const wanted = source === undefined ? { excludeSources: ["tool"] } : { source };
  const sessions = await store.sessions.list({ ...wanted, limit, signal: invocation.io.signal });
  if (withOneShots) return sessions;
  const { withFolders } = await import("#session");
  return (await withFolders(store, sessions)).filter(({ location }) => location?.isOneShot !== true);
}
