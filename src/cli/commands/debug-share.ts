import { UserError } from "#foundation/errors";
import { formatLogLine } from "#foundation/files/log-text";
import { maskIdentifiers } from "#foundation/secrets/redact";
import type { Invocation } from "../command.ts";
import { flagNumber, hasFlag } from "../invocation.ts";
import { Output } from "../output/output.ts";
import { redactionOf } from "../support/redactor.ts";
import { loadSettings } from "../support/settings.ts";
import { dumpText } from "./dump-text.ts";
import { readTail } from "./logs/read-tail.ts";

const mostChars = 512 * 1024;

/** The dump and the ends of the logs, redacted twice: by what is known to be secret, then by what looks personal. */
export async function debugShare(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  if (!hasFlag(invocation, "local")) throw noService();
  const lines = flagNumber(invocation, "lines", { usual: 200, max: 100_000 });
  const settings = await loadSettings(invocation, { isQuiet: true });
  const { redact } = redactionOf(settings.loaded);
  const clean = (text: string): string => maskIdentifiers(redact(redact(text)));
  const { agentLog, errorsLog, gatewayLog } = settings.home;
  const logs: Record<string, string> = {};
  for (const [name, file] of Object.entries({ agent: agentLog, errors: errorsLog, gateway: gatewayLog })) {
    const tail = await readTail(file);
    if (tail !== undefined)
      logs[name] = clean(tail.lines.slice(-lines).map(formatLogLine).join("\n")).slice(-mostChars);
  }
  const dump = clean(await dumpText(settings, { showsKeys: false }));
  out.document({ dump, logs });
  out.line(dump.trimEnd());
  for (const [name, text] of Object.entries(logs)) {
    out.line();
    out.line(`--- ${name}.log ---`);
    out.line(text);
  }
  return 0;
}

export async function debugDelete(_invocation: Invocation): Promise<number> {
  throw noService();
}

/** Hermes sends nothing to a service nobody chose. */
function noService(): UserError {
  return new UserError("No sharing service is set up, so nothing was uploaded.", {
    code: "share_service_missing",
    hint: "Print it and share it yourself: hermes debug share --local",
  });
}
