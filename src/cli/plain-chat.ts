import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { openPlainSession } from "#app";
import type { ApprovalChoice } from "#conversation";

/** A line prompt: each line is one turn, an empty line or the end of input leaves. Approvals are asked on the same prompt. */
export async function plainChat(input: Readable, output: Writable): Promise<number> {
  const isTerminal = (output as { isTTY?: boolean }).isTTY === true;
  const lines = createInterface({ input, output, prompt: "❯ ", terminal: isTerminal });
  const next = lineReader(lines);
  await using session = await openPlainSession({
    env: process.env,
    cwd: process.cwd(),
    screen: { text: (piece) => output.write(piece), line: (text) => output.write(`${text}\n`) },
    approver: {
      async ask(request): Promise<ApprovalChoice> {
        const why = request.findings.map((finding) => finding.description).join("; ");
        output.write(`\nThis needs your word (${why}):\n  ${request.summary}\nType once, session or deny: `);
        const answer = (await next())?.trim().toLowerCase();
        return answer === "once" || answer === "session" ? answer : "deny";
      },
    },
  });
  output.write("Hermes, on the demo model. An empty line leaves.\n");
  for (;;) {
    lines.prompt();
    const line = await next();
    if (line === undefined || line.trim() === "") break;
    await session.submit(line, new AbortController().signal);
  }
  lines.close();
  return 0;
}

/** Lines one by one, whoever asks for the next; undefined at the end. Lines that come early wait. */
function lineReader(lines: Interface): () => Promise<string | undefined> {
  const early: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
  let isEnded = false;
  lines.on("line", (line) => {
    const taker = waiting.shift();
    if (taker === undefined) early.push(line);
    else taker(line);
  });
  lines.on("close", () => {
    isEnded = true;
    for (const taker of waiting.splice(0)) taker(undefined);
  });
  return () => {
    const line = early.shift();
    if (line !== undefined || isEnded) return Promise.resolve(line);
    return new Promise((resolve) => waiting.push(resolve));
  };
}
