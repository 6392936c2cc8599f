import { isRecord, parseJson } from "#foundation/text/json";

/** More than this no screen shows. */
const mostShown = 8_000;
/** Of long output the end says more: errors and sums stand there. */
const shownFirst = 2_000;

/** A result as screens get it. Of long output the beginning and the end stay, in a result that can still be read as one. */
export function shownResult(text: string): string {
  if (text.length <= mostShown) return text;
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value) || typeof parsed.value["output"] !== "string")
    return text.slice(0, mostShown);
  const { output, ...rest } = parsed.value;
  const shown = JSON.stringify({ output: ends(output as string), ...rest });
  return shown.length <= 2 * mostShown ? shown : JSON.stringify({ output: ends(output as string) });
}

function ends(output: string): string {
  if (output.length <= mostShown) return output;
  const left = output.length - mostShown;
  return `${output.slice(0, shownFirst)}\n[… ${left.toLocaleString("en")} characters …]\n${output.slice(shownFirst - mostShown)}`;
}
