import type { ScriptFunction } from "./functions.ts";

const base = `// Tools of the agent as functions. Each returns a promise of a parsed value.
import { readSync, writeSync } from "node:fs";
import { connect } from "node:net";

let lastId = 0;
const mark = process.env.HERMES_RPC_MARK;
let rest = Buffer.alloc(0);

// Elsewhere there is one pipe each way: requests are marked lines of the output.
function overPipe(request) {
  let text = Buffer.from("\\n" + mark + request + "\\n");
  while (text.length > 0) text = text.subarray(writeSync(1, text));
  for (;;) {
    const end = rest.indexOf(10);
    if (end >= 0) {
      const line = rest.subarray(0, end).toString("utf8");
      rest = rest.subarray(end + 1);
      return line;
    }
    const chunk = Buffer.alloc(65536);
    const size = readSync(Number(process.env.HERMES_RPC_FD), chunk);
    if (size === 0) throw new Error("the connection to the agent was closed");
    rest = Buffer.concat([rest, chunk.subarray(0, size)]);
  }
}

function resultOf(answer) {
  const result = JSON.parse(answer).result ?? "";
  try { return JSON.parse(result); } catch { return result; }
}

function call(tool, args) {
  const request = JSON.stringify({ id: ++lastId, tool, args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null)) });
  if (mark !== undefined) return Promise.resolve().then(() => resultOf(overPipe(request)));
  return new Promise((resolve, reject) => {
    const link = connect(process.env.HERMES_RPC_SOCKET);
    let answer = "";
    link.setEncoding("utf8");
    link.on("connect", () => link.write(request + "\\n"));
    link.on("error", reject);
    link.on("close", () => reject(new Error("the connection to the agent was closed")));
    link.on("data", (text) => {
      answer += text;
      if (!answer.endsWith("\\n")) return;
      link.end();
      resolve(resultOf(answer));
    });
  });
}

function argumentsOf(names, given) {
  const [first] = given;
  const isNamed = given.length === 1 && typeof first === "object" && first !== null && !Array.isArray(first);
  return isNamed ? first : Object.fromEntries(names.map((name, index) => [name, given[index]]));
}

export function json_parse(text) {
  const fenced = /\`\`\`(?:json)?\\s*([\\s\\S]*?)\`\`\`/.exec(text);
  const candidates = [text, fenced?.[1] ?? ""];
  for (const [opening, closing] of ["{}", "[]"]) {
    const start = text.indexOf(opening);
    const end = text.lastIndexOf(closing);
    if (start >= 0 && start < end) candidates.push(text.slice(start, end + 1));
  }
  for (const candidate of candidates) {
    try { return JSON.parse(candidate); } catch { continue; }
  }
  throw new Error("there is no JSON in this text");
}

export function shell_quote(text) {
  return "'" + String(text).replaceAll("'", "'\\\\''") + "'";
}

export async function retry(fn, max_attempts = 3, delay = 2) {
  for (let attempt = 1; ; attempt += 1) {
    try { return await fn(); } catch (error) {
      if (attempt >= max_attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay * 1000 * 2 ** (attempt - 1)));
    }
  }
}
`;

/** The text of the module `hermes_tools` for scripts in JavaScript. */
export function javascriptModule(functions: readonly ScriptFunction[]): string {
  const stubs = functions.map((one) => {
    const names = JSON.stringify(one.parameters.map((parameter) => parameter.name));
    return `\nexport const ${one.tool} = (...given) => call("${one.tool}", argumentsOf(${names}, given));\n`;
  });
  return base + stubs.join("");
}
