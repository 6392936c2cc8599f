import type { TrajectoryMessage, TrajectoryTool } from "../../src/agent/trajectory/sharegpt.ts";

/** A conversation as it may have happened, for comparing what two programs make of it. */
export interface Transcript {
  readonly prompt_index: number;
  readonly query: string;
  readonly messages: readonly TrajectoryMessage[];
  readonly tools: readonly TrajectoryTool[];
  readonly toolsets: readonly string[];
  readonly completed: boolean;
  readonly partial: boolean;
  readonly api_calls: number;
}

export const knownTools = ["browser_navigate", "patch", "read_file", "terminal", "web_search", "write_file"];

/** The same number makes the same transcripts: unicode, tools, reasoning, scratchpads and broken JSON in all mixtures. */
export function makeTranscripts(count: number, seed: number): readonly Transcript[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => transcript(index, new Dice(random)));
}

function transcript(index: number, dice: Dice): Transcript {
  const query = `${dice.words()} ${index}`;
  const messages: TrajectoryMessage[] = [{ role: "user", content: query }];
  const steps = dice.upTo(6);
  for (let step = 0; step < steps; step += 1) {
    const calls = Array.from({ length: 1 + dice.upTo(3) }, (_, at) => ({
      id: `call_${index}_${step}_${at}`,
      type: "function",
      function: { name: dice.of([...knownTools, ...knownTools, "make_coffee"]), arguments: dice.argumentText() },
    }));
    messages.push({ role: "assistant", content: dice.content(), ...dice.reasoning(), tool_calls: calls });
    for (const { id } of calls.slice(0, dice.chance(0.95) ? calls.length : calls.length - 1))
      messages.push({ role: "tool", tool_call_id: id, content: dice.result() });
    if (dice.chance(0.03)) messages.push({ role: "tool", tool_call_id: "nobody", content: dice.result() });
    if (dice.chance(0.1)) messages.push({ role: "user", content: dice.words() });
  }
  if (dice.chance(0.9)) messages.push({ role: "assistant", content: dice.content() ?? "", ...dice.reasoning() });
  return {
    prompt_index: index,
    query,
    messages,
    tools: knownTools.slice(0, dice.upTo(knownTools.length + 1)).map((name) => dice.tool(name)),
    toolsets: ["terminal", "file"].slice(0, 1 + dice.upTo(2)),
    completed: dice.chance(0.8),
    partial: dice.chance(0.1),
    api_calls: steps + 1,
  };
}

const pieces = [
  ...[
    "hello",
    "Grüße",
    "你好世界",
    "สวัสดี",
    "🚀🧪",
    "naïve",
    "\u2028line",
    "tab\there",
    'say "hi"',
    "back\\slash",
    "\u0085x",
  ],
  ...["<think>", "{TOOLS}", "$& $1", "é", "e\u0301", "\u007f", "\u0001", "zero\u200bwidth", "\ufeffbom", "\n", "  "],
];

class Dice {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A whole number below the limit. */
  upTo(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  of<T>(values: readonly T[]): T {
    return values[this.upTo(values.length)] as T;
  }

  words(): string {
    return Array.from({ length: 1 + this.upTo(6) }, () => this.of(pieces)).join(" ");
  }

  content(): string | null {
    return this.of<() => string | null>([
      () => null,
      () => "",
      () => "   ",
      () => this.words(),
      () => `  ${this.words()}\n\n`,
      () => `<REASONING_SCRATCHPAD>${this.words()}</REASONING_SCRATCHPAD>\n${this.words()}`,
      () => `${this.words()}</REASONING_SCRATCHPAD>`,
    ])();
  }

  reasoning(): { readonly reasoning?: string } {
    if (this.chance(0.4)) return {};
    return { reasoning: this.chance(0.1) ? " \n" : this.words() };
  }

  /** What a model writes as arguments; sometimes not JSON. */
  argumentText(): string {
    if (this.chance(0.1)) return this.of(["{bad", "", "{'a': 1}", '{"a": 1', "None"]);
    const members = Array.from({ length: this.upTo(4) }, (_, at) => `${this.key(at)}:${this.space()}${this.json(0)}`);
    return `{${members.join(`,${this.space()}`)}}`;
  }

  result(): string {
    return this.of<() => string>([
      () => this.words(),
      () => "",
      () => `Error: ${this.words()}`,
      () => `{"output": ${JSON.stringify(this.words())},"exit_code": ${this.upTo(3)}, "error": null}`,
      () => `{"error": ${JSON.stringify(this.words())}}`,
      () => `{"success": ${this.of(["true", "false"])}}`,
      () => `{"content": {"error": ${this.of(["null", '"x"'])}}}`,
      () => ` [${this.json(0)},${this.json(0)}]`,
      () => "{not json",
      () => "x".repeat(this.upTo(4000)),
    ])();
  }

  tool(name: string): TrajectoryTool {
    return {
      name,
      description: this.words(),
      parameters: {
        type: "object",
        properties: { path: { type: "string", default: this.words() } },
        required: ["path"],
      },
    };
  }

  key(at: number): string {
    return JSON.stringify(this.of(["path", "10", "2", "ключ", this.words()]) + at);
  }

  space(): string {
    return this.of(["", " ", "\n  "]);
  }

  /** JSON text, with numbers of every kind. */
  json(depth: number): string {
    const plain = [
      ...[
        "null",
        "true",
        "false",
        "0",
        "-7",
        "1.0",
        "1.10",
        "1e2",
        "1E+400",
        "-0.0",
        "0.1",
        "1e-7",
        "1e16",
        "123456789012345678901234567890",
      ],
      ...["2.5e-5", "100000000000000000.0", JSON.stringify(this.words()), '"\\u00e9\\u2028\\n"', '"\\ud83d\\ude00"'],
    ].filter((text) => text !== "1E+400");
    if (depth > 2 || this.chance(0.6)) return this.of(plain);
    if (this.chance(0.5)) return `[${this.json(depth + 1)}, ${this.json(depth + 1)}]`;
    return `{${this.key(0)}: ${this.json(depth + 1)},"a": 1, "a": ${this.json(depth + 1)}}`;
  }
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
