import { expect, it } from "vitest";
import { type Message, userMessage } from "#conversation";
import { speakingTools } from "#tools/testing";
import { extractLocally } from "./extract.ts";
import { group, stamped } from "./testing/builders.ts";

const redact = (text: string): string => text.replaceAll("sk-secret", "***");
const part = (number: number): readonly Message[] =>
  stamped([
    userMessage(`rule ${number} sk-secret ${"x".repeat(400)}`),
    ...Array.from({ length: 100 }, (_, index) => group(`c${number}-${index}`, { content: "r".repeat(300) })).flat(),
    { role: "assistant", content: `said ${number}` },
  ]);

it("[10:COMP-24] continues an earlier extract instead of piling up, and keeps a real summary before it", () => {
  const previous = "## Goal\nShip it.\n\n## Active Task\nold";
  const first = extractLocally({
    region: part(1),
    previous,
    latestRequest: undefined,
    redact,
    maxTokens: Number.POSITIVE_INFINITY,
    tools: speakingTools,
  });
  const second = extractLocally({
    region: part(2),
    previous: first,
    latestRequest: "go on",
    redact,
    maxTokens: Number.POSITIVE_INFINITY,
    tools: speakingTools,
  });
  const third = extractLocally({
    region: part(3),
    previous: second,
    latestRequest: "go on",
    redact,
    maxTokens: Number.POSITIVE_INFINITY,
    tools: speakingTools,
  });
  expect(third).toContain("## Goal\nShip it.\n\n## Active Task\nold");
  expect(third.match(/not written by a model/g)).toHaveLength(1);
  for (const number of [1, 2, 3]) expect(third).toContain(`- rule ${number} *** xxx`);
  expect(third).toContain("(150 earlier calls are not listed)");
  expect(third.match(/^- \[terminal\]/gm)).toHaveLength(150);
  expect(third).toContain("- said 3");
  expect(third).not.toContain("said 2");
  expect(third).not.toContain("sk-secret");
});
