import type { ScriptFunction } from "./functions.ts";

const base = `// Tools of the agent as functions. Each returns a promise of a parsed value.
import { connect } from "node:net";

let lastId = 0;

function call(tool, args) {
  const request = JSON.stringify({ id: ++lastId, tool, args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null)) });
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
      const result = JSON.parse(answer).result ?? "";
      try { resolve(JSON.parse(result)); } catch { resolve(result); }
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
