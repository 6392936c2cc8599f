import { describe, expect, it } from "vitest";
import { introduction } from "./script.ts";
import { sceneOf, serveDemoModel } from "./server.ts";

const tools = ["search_files", "read_file", "patch", "write_file", "terminal"].map((name) => ({ function: { name } }));

async function ask(baseUrl: string, body: Record<string, unknown>): Promise<Response> {
  return fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "hermes-demo", ...body }),
  });
}

async function chunks(response: Response): Promise<Record<string, unknown>[]> {
  const lines = (await response.text()).split("\n\n").filter((line) => line !== "");
  expect(lines.at(-1)).toBe("data: [DONE]");
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice("data: ".length)));
}

describe("the demo model on the wire", () => {
  it("says in its first line that it is a demo and how to connect a real model", async () => {
    await using demo = await serveDemoModel();
    const response = await ask(demo.baseUrl, { messages: [{ role: "user", content: "hello" }] });
    const reply = (await response.json()) as { choices: { message: { content: string } }[] };
    expect(reply.choices[0]?.message.content.split("\n")[0]).toBe(introduction);
    expect(introduction).toMatch(/demo model.*\/connect/);
  });

  it("introduces itself once", async () => {
    await using demo = await serveDemoModel();
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", content: introduction },
      { role: "user", content: "hello" },
    ];
    const reply = (await (await ask(demo.baseUrl, { messages })).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(reply.choices[0]?.message.content).not.toContain(introduction);
  });

  it("streams words and then a tool call with whole arguments", async () => {
    await using demo = await serveDemoModel();
    const response = await ask(demo.baseUrl, {
      stream: true,
      tools,
      messages: [{ role: "user", content: "list files in src" }],
    });
    const deltas = (await chunks(response)).flatMap(
      (chunk) => chunk.choices as { delta: Record<string, unknown>; finish_reason: string | null }[],
    );
    expect(deltas.filter((one) => typeof one.delta.content === "string").length).toBeGreaterThan(5);
    const call = deltas.find((one) => one.delta.tool_calls !== undefined)?.delta.tool_calls as {
      function: { name: string; arguments: string };
    }[];
    expect(call[0]?.function.name).toBe("search_files");
    expect(JSON.parse(call[0]?.function.arguments ?? "")).toMatchObject({ pattern: "*", target: "files", path: "src" });
    expect(deltas.at(-1)?.finish_reason).toBe("tool_calls");
  });

  it("works through a recipe of several tools and closes with what it found", async () => {
    await using demo = await serveDemoModel();
    const messages: Record<string, unknown>[] = [{ role: "user", content: 'replace "tea" with "coffee" in notes.txt' }];
    const used: string[] = [];
    for (const result of ['{"content":"     1|tea"}', '{"success":true,"diff":"-tea\\n+coffee"}']) {
      const reply = (await (await ask(demo.baseUrl, { tools, messages })).json()) as {
        choices: { message: { content: string; tool_calls: { id: string; function: { name: string } }[] } }[];
      };
      const message = reply.choices[0]?.message;
      const call = message?.tool_calls[0];
      used.push(call?.function.name ?? "");
      messages.push({ role: "assistant", ...message }, { role: "tool", tool_call_id: call?.id, content: result });
    }
    expect(used).toEqual(["read_file", "patch"]);
    const last = (await (await ask(demo.baseUrl, { tools, messages })).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(last.choices[0]?.message.content).toMatch(/^Done: `[^`]+` is changed\.$/);
  });

  it("says so when a tool failed or is missing", async () => {
    await using demo = await serveDemoModel();
    const failed = [
      { role: "user", content: "read x.txt" },
      { role: "assistant", content: "", tool_calls: [] },
      { role: "tool", content: '{"error":"File not found: x.txt"}' },
    ];
    const reply = (await (await ask(demo.baseUrl, { tools, messages: failed })).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(reply.choices[0]?.message.content).toContain("File not found: x.txt");
    const missing = (await (await ask(demo.baseUrl, { messages: [{ role: "user", content: "read x" }] })).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(missing.choices[0]?.message.content).toContain("`read_file`, which is not available");
  });

  it.each([
    ['{"exit_code":0,"output":""}', "It ended with exit code 0."],
    ['{"exit_code":3,"output":"tea"}', "It ended with exit code 3.\n\n```\ntea\n```"],
    ["The program ended while this call was running.", "The program ended while this call was running."],
  ])("tells how a command went: %s", async (content, told) => {
    await using demo = await serveDemoModel();
    const call = { id: "c", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } };
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", content: introduction },
      { role: "user", content: "run `ls`" },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content },
    ];
    const reply = (await (await ask(demo.baseUrl, { tools, messages })).json()) as {
      choices: { message: { content: string } }[];
    };
    expect(reply.choices[0]?.message.content).toBe(told);
  });

  it("answers nonsense with an error in the provider's shape", async () => {
    await using demo = await serveDemoModel();
    const broken = await fetch(`${demo.baseUrl}/chat/completions`, { method: "POST", body: "{" });
    expect([broken.status, ((await broken.json()) as { error: { type: string } }).error.type]).toEqual([
      400,
      "invalid_request_error",
    ]);
    expect((await fetch(`${demo.baseUrl}/nothing`)).status).toBe(404);
  });

  it("reads a request made of parts", () => {
    expect(
      sceneOf({ messages: [{ role: "user", content: [{ type: "text", text: "a" }, { type: "image_url" }] }] }).request,
    ).toBe("a");
  });
});
