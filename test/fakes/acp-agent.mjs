#!/usr/bin/env node
// An agent that speaks the Agent Client Protocol over its pipes. What it does is its first argument;
// what it was told goes to the file named by the second, one message per line.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [behaviour = "answer", record] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (line) => record !== undefined && appendFileSync(record, `${line}\n`);
const chunk = (text, sessionUpdate = "agent_message_chunk") =>
  send({
    method: "session/update",
    params: { sessionId: "s-1", update: { sessionUpdate, content: { type: "text", text } } },
  });
const finish = (id, stopReason = "end_turn") => send({ id, result: { stopReason } });

const prompts = {
  answer(id) {
    chunk("Let me think.", "agent_thought_chunk");
    chunk("Hello ");
    chunk("there <b>.");
    send({ id, result: { stopReason: "end_turn", usage: { inputTokens: 12, outputTokens: 3 } } });
  },
  call(id) {
    for (const piece of [
      "Reading.\n<tool_",
      'call>\n{"name": "read_file", ',
      '"arguments": {"path": "a.txt"}}\n</tool_call>',
    ])
      chunk(piece);
    finish(id);
  },
  cut(id) {
    chunk('Reading.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a');
    finish(id, "max_tokens");
  },
  crash() {
    chunk("Half an ans");
    process.stderr.write("fatal: out of coffee\n");
    setImmediate(() => process.exit(3));
  },
  hang() {
    // A grandchild that would stay behind if only the child were ended.
    const grandchild = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    note(JSON.stringify({ pids: [process.pid, grandchild.pid] }));
    // Ends when asked to, but only after it was told to stop working.
    process.on("SIGTERM", () => stopped.then(() => process.exit(0)));
    chunk("Working");
  },
  malformed(id) {
    process.stdout.write('A new version is available!\n{"jsonrpc": "2.0", \n[]\n\n');
    chunk("Still here.");
    finish(id);
  },
  asks(id) {
    send({
      id: "p-1",
      method: "session/request_permission",
      params: {
        sessionId: "s-1",
        options: [
          { optionId: "yes", kind: "allow_once" },
          { optionId: "no", kind: "reject_once" },
        ],
      },
    });
    send({ id: "p-2", method: "fs/read_text_file", params: { path: "/etc/passwd" } });
    let open = 2;
    answers = () => {
      open -= 1;
      if (open > 0) return;
      chunk("Fine.");
      finish(id);
    };
  },
  error: (id) => send({ id, error: { code: -32603, message: "quota of premium requests exceeded" } }),
  gives_up: (id) => finish(id, "cancelled"),
};
let answers = () => undefined;
let stop;
const stopped = new Promise((resolve) => {
  stop = resolve;
});

const methods = {
  initialize: (id) =>
    send({
      id,
      result: {
        protocolVersion: behaviour === "future" ? 2 : 1,
        agentCapabilities: { promptCapabilities: { image: true } },
      },
    }),
  "session/new": (id) =>
    behaviour === "logged_out"
      ? send({ id, error: { code: -32000, message: "Authentication required" } })
      : send({
          id,
          result: {
            sessionId: "s-1",
            models: { currentModelId: "base", availableModels: [{ modelId: "base" }, { modelId: "large" }] },
          },
        }),
  "session/cancel": () => stop(),
  "session/set_model": (id) => send({ id, result: {} }),
  "session/prompt": (id) => (prompts[behaviour] ?? prompts.answer)(id),
};

note(JSON.stringify({ env: Object.keys(process.env), cwd: process.cwd() }));
for await (const line of createInterface({ input: process.stdin })) {
  note(line);
  const message = JSON.parse(line);
  if (message.method === undefined) answers();
  else methods[message.method]?.(message.id);
}
