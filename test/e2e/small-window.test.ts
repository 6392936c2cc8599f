import { expect, it } from "vitest";
import {
  calls,
  type ModelServer,
  type ReceivedRequest,
  type Reply,
  says,
  startModelServer,
} from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const contextWindow = 8_192;
const turns = 20;
/** As the fake server counts, four bytes each. */
const tokensOf = (request: ReceivedRequest): number => Math.ceil(request.rawBody.length / 4);
const isSummary = (request: ReceivedRequest): boolean => request.rawBody.includes("<conversation>");
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at} of a report\n`).join("");

const excerptMark = /full text: read_file ([^\]"\\]+)\]/;

/** In each turn one file is read, then answered about; summaries are as long as they are asked to be. */
function worker(): (request: ReceivedRequest) => Reply {
  let turn = 0;
  return (request) => {
    const budget = Number(/about (\d+) tokens/.exec(request.rawBody)?.[1] ?? 500);
    if (isSummary(request)) return says("## Active Task\nNone.\n\n## Done\n".padEnd(4 * budget, "1. read a report. "));
    if (request.messages.at(-1)?.["role"] !== "user") return says(`Turn ${turn}: ${"as it says there. ".repeat(40)}`);
    turn += 1;
    const excerpt = excerptMark.exec(request.rawBody);
    if (turn > turns) return calls("read_file", { path: excerpt?.[1] });
    return calls("read_file", { path: `${turn % 4}.txt`, offset: turn, limit: 60 + 40 * (turn % 3) });
  };
}

/** The conversation's requests, each with whether a summary was made since the one before it. */
function afterSummaries(model: ModelServer): readonly ReceivedRequest[] {
  return model.requests.filter((request, at) => {
    const before = model.requests[at - 1];
    return before !== undefined && isSummary(before) && !isSummary(request);
  });
}

it("a long session in a window of 8K tokens is summarised now and then, has a third free each time, and keeps what was cut", async () => {
  await using model = await startModelServer({ strict: true, contextWindow });
  model.onRequest(worker());
  const config = modelConfig(model.chatBaseUrl, "auxiliary:\n  title_generation:\n    enabled: false\n").replace(
    "default:",
    `context_length: ${contextWindow}\n  allow_small_context: true\n  default:`,
  );
  const files = Object.fromEntries([0, 1, 2, 3].map((at) => [`${at}.txt`, lines(400)]));
  await using stage = await Stage.open({ config, files });
  await using terminal = new ProgramTerminal(stage, ["chat", "-t", "file"]);
  await terminal.sees("❯");
  for (let turn = 1; turn <= turns; turn += 1) {
    await terminal.say(`Request ${turn}: what does report ${turn % 4} say?`);
    await terminal.answers(`Turn ${turn}:`);
  }
  expect(model.rejections).toEqual([]);
  const made = model.requests.filter(
    (request, at) => isSummary(request) && !isSummary(model.requests[at + 1] ?? request),
  );
  expect(made.length).toBeGreaterThan(0);
  expect(made.length).toBeLessThanOrEqual(turns / 2);
  for (const request of afterSummaries(model)) expect(tokensOf(request)).toBeLessThanOrEqual((2 / 3) * contextWindow);
  // What was cut can be read where the excerpt says.
  const asked = model.requests.length;
  await terminal.say("What was left out?");
  await terminal.answers(`Turn ${turns + 1}:`);
  const result = JSON.stringify((await model.received(asked + 2)).messages.at(-1));
  expect(result).toMatch(/as it says there|of a report/);
  expect(result).not.toContain("left out");
});
