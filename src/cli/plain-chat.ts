import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { assistantMessage, type Message, userMessage } from "#conversation";
import { serveDemoModel } from "#model";

/** A line prompt over the demo model; each line is one turn, an empty line or end of input leaves. */
export async function plainChat(input: Readable, output: Writable): Promise<number> {
  await using demo = await serveDemoModel();
  const lines = createInterface({
    input,
    output,
    prompt: "❯ ",
    terminal: (output as { isTTY?: boolean }).isTTY === true,
  });
  const history: Message[] = [];
  output.write("Hermes, on the demo model. An empty line leaves.\n");
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() === "") break;
    history.push(userMessage(line));
    const reply = await answer(demo.baseUrl, history, output);
    history.push(assistantMessage(reply));
    lines.prompt();
  }
  lines.close();
  return 0;
}

async function answer(baseUrl: string, messages: readonly Message[], output: Writable): Promise<string> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "hermes-demo", messages }),
  });
  const body = (await response.json()) as { choices?: { message?: { content?: string } }[] };
  const text = body.choices?.[0]?.message?.content ?? "";
  output.write(`${text}\n`);
  return text;
}
