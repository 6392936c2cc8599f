import type { Invocation } from "../command.ts";
import { hasFlag } from "../invocation.ts";
import { Output } from "../output/output.ts";
import { loadSettings } from "../support/settings.ts";
import { dumpText } from "./dump-text.ts";

export async function dump(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const settings = await loadSettings(invocation, { isQuiet: true });
  const text = await dumpText(settings, { showsKeys: hasFlag(invocation, "show-keys") });
  out.document({ dump: text });
  out.line(text.trimEnd());
  return 0;
}
