import { faultOf, type OwnTool } from "./own-tools.ts";
import type { RealModel } from "./real-model.ts";

export interface CallReport {
  readonly calls: number;
  readonly valid: number;
  /** Ended by the limit of tokens before the call was complete; no call is reported then. */
  readonly cutShort: number;
  readonly faults: readonly string[];
  /** How often each tool was called. */
  readonly byTool: ReadonlyMap<string, number>;
}

const requests = [
  "Look at notes.txt and tell me what is in it.",
  "Write a short poem about the sea into poem.md.",
  'Find every place where "TODO" stands, and say "done".',
  "Run the tests with npm, wait at most five minutes.",
  "Was heißt das auf Englisch? Schau nach: café, naïve, 東京.",
];

/** Calls the tools one after the other, with some heat, so that every schema meets many different texts; two calls at a time. */
export async function constrainedCalls(
  model: Pick<RealModel, "ask">,
  tools: readonly OwnTool[],
  options: { readonly count: number; readonly maxTokens: number; onCall?(index: number, text: string): void },
): Promise<CallReport> {
  const { count } = options;
  const faults: string[] = [];
  const byTool = new Map<string, number>();
  let cutShort = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const answer = await model.ask(requestOf(index, tools, options));
      const [call] = answer.calls;
      const text = call === undefined ? `${answer.finish} ${answer.error.message ?? ""}` : `${call.name} ${call.args}`;
      options.onCall?.(index, text);
      if (call === undefined) {
        if (answer.finish === "length") cutShort += 1;
        else faults.push(`no call: ${text}`);
        continue;
      }
      const fault = faultOf(call, tools);
      if (fault !== undefined) faults.push(fault);
      byTool.set(call.name, (byTool.get(call.name) ?? 0) + 1);
    }
  };
  await Promise.all([work(), work()]);
  return { calls: count, valid: count - cutShort - faults.length, cutShort, faults, byTool };
}

/** Each tool has its share of the calls, one after the other. Most are told which tool it is to be; every tenth may choose. */
function requestOf(
  index: number,
  tools: readonly OwnTool[],
  { count, maxTokens }: { readonly count: number; readonly maxTokens: number },
): Readonly<Record<string, unknown>> {
  const at = Math.floor((index / count) * tools.length);
  const isFree = index % 10 === 0;
  return {
    messages: [{ role: "user", content: requests[index % requests.length] }],
    tools: tools.slice(at, isFree ? at + 3 : at + 1),
    tool_choice: isFree ? "required" : { type: "function", function: { name: tools[at]?.function.name } },
    temperature: 0.8,
    frequency_penalty: 0.6,
    seed: index,
    max_tokens: maxTokens,
  };
}
