import { type ConsentState, joinCommand } from "#plugins";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openHooks } from "./open.ts";

const words: Readonly<Record<ConsentState, string>> = {
  allowed: "allowed",
  changed: "changed since",
  missing: "not allowed",
};

export async function hooksList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { reading, consent, autoAccept } = await openHooks(invocation);
  const rows = await Promise.all(
    reading.hooks.map(async ({ event, argv, matcher, timeoutMs, failClosed }) => ({
      event,
      // Anchored when it is read; shown as it was written.
      matcher: matcher?.source.slice("^(?:".length, -")$".length) ?? null,
      command: joinCommand(argv),
      timeout_seconds: timeoutMs / 1000,
      fail_closed: failClosed,
      consent: (await consent.state(event, argv)).state,
    })),
  );
  out.document({ hooks: rows, left_out: reading.leftOut, auto_accept: autoAccept });
  for (const { event, reason } of reading.leftOut) out.note(`${event}: an entry is left out: ${reason}`);
  if (rows.length === 0) {
    out.line("No shell hooks. Add them under hooks: in the settings: hermes config edit");
    return 0;
  }
  out.table(
    [
      { title: "Event" },
      { title: "Matcher" },
      { title: "Command", isFlexible: true },
      { title: "Limit", align: "right" },
      { title: "If it fails" },
      { title: "Consent" },
    ],
    rows.map((row) => [
      row.event,
      row.matcher ?? "-",
      row.command,
      `${row.timeout_seconds} s`,
      row.fail_closed ? "refuse" : "go on",
      words[row.consent],
    ]),
  );
  if (autoAccept) out.line("Hooks run without asking here: hooks_auto_accept or HERMES_ACCEPT_HOOKS is on.");
  else if (rows.some((row) => row.consent !== "allowed"))
    out.line(
      "Hooks that are not allowed do not run. You are asked when a chat opens, or with: hermes hooks test <event>",
    );
  return 0;
}
