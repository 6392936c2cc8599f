import { stripAnsi } from "#foundation/text/text";
import type { EndedCommand } from "../../contract/tool-extensions.ts";
import { isSudoFailure, sudoTip } from "./sudo.ts";

export interface OutputDeps {
  redact(text: string): string;
  /** Hook of plugins: may replace the output before it is cleaned. */
  transformOutput?(output: string, about: EndedCommand): Promise<string | undefined>;
}

/** What the model reads of a command's output. Masked before it is cut, so that no secret is split by the cut. */
export async function outputText(
  deps: OutputDeps,
  raw: string,
  about: EndedCommand & {
    readonly maxChars: number;
    /** Nobody can type a password here, so say what can be done. */
    readonly wantsSudoTip: boolean;
  },
): Promise<string> {
  const tipped = about.wantsSudoTip && isSudoFailure(raw) ? `${raw.trimEnd()}\n${sudoTip}` : raw;
  const transformed = (await deps.transformOutput?.(tipped, about)) ?? tipped;
  return cutMiddle(deps.redact(stripAnsi(transformed)).trim(), about.maxChars);
}

/** 40 % from the beginning and 60 % from the end, because errors come last. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const headChars = Math.floor(maxChars * 0.4);
  const tailChars = maxChars - headChars;
  const omitted = text.length - headChars - tailChars;
  const head = text.slice(0, headChars).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(-tailChars).replace(/^[\uDC00-\uDFFF]/, "");
  return `${head}\n\n[... ${omitted} of ${text.length} characters left out ...]\n\n${tail}`;
}
