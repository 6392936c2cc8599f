/**
 * What runs in the process of an isolated plugin. It is text, since that process has nothing of this program
 * but this: the plugin's own module, and a `ctx` whose every member is a message to us.
 */
export const childProgram = `
import { AsyncLocalStorage } from "node:async_hooks";
const current = new AsyncLocalStorage();
const handlers = new Map();
const running = new Map();
const asked = new Map();
const cleanups = [];
let count = 0;
const send = (message) => { if (process.connected) process.send(message); };
const text = (error) => (error instanceof Error ? error.message : String(error));
const plain = (value) => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
const handle = (work) => { const id = ++count; handlers.set(id, work); return id; };
const take = (kind, fields, id) => {
  send({ type: "register", kind, handler: id, ...fields });
  const undo = () => { handlers.delete(id); send({ type: "unregister", handler: id }); };
  return { [Symbol.dispose ?? Symbol.for("dispose")]: undo, dispose: undo };
};
const ask = (what, args) => new Promise((resolve, reject) => {
  const id = ++count;
  asked.set(id, { resolve, reject });
  send({ type: "ask", id, what, call: current.getStore(), args: plain(args) });
});
const absent = (name) => () => { throw new Error(name + " is not available to a plugin in a process of its own"); };
const contextOf = ({ manifest, dataDir }) => ({
  manifest, dataDir, config: {},
  logger: Object.fromEntries(["debug", "info", "warn", "error"].map((level) =>
    [level, (message, fields = {}) => send({ type: "log", level, message: String(message), fields: plain(fields) })])),
  registerTool: (tool) => {
    const { name, toolset, schema, description, emoji, requiresEnv } = tool;
    const check = tool.checkFn === undefined ? undefined : handle(() => tool.checkFn());
    const id = handle(([args, context], signal, progress) => tool.handler(args, { ...context, signal, progress,
      enabledTools: new Set(context.enabledTools) }));
    return take("tool", { name, check, tool: plain({ toolset, schema, description, emoji, requiresEnv }) }, id);
  },
  registerHook: (name, callback, options = {}) =>
    take("hook", { name, failClosed: options.failClosed === true }, handle(([payload], signal) => callback(payload, signal))),
  registerCommand: (name, handler, options = {}) =>
    take("command", { name, options: plain(options) }, handle(([raw]) => handler(raw))),
  dispatchTool: (name, args) => ask("dispatchTool", [name, args]),
  injectMessage: (content, role, sessionKey) => { void ask("injectMessage", [content, role ?? null, sessionKey ?? null]); return true; },
  onDispose: (cleanup) => cleanups.push(cleanup),
  registerMemoryProvider: absent("registerMemoryProvider"), registerContextEngine: absent("registerContextEngine"),
  registerCliCommand: absent("registerCliCommand"), registerSkill: absent("registerSkill"),
  registerImageGenProvider: absent("registerImageGenProvider"), registerTerminal: absent("registerTerminal"),
});
async function start(message) {
  try {
    const loaded = await import(message.entry);
    const exported = loaded.register ?? loaded.default;
    const register = typeof exported === "function" ? exported : exported?.register;
    if (typeof register !== "function") throw new Error("the module exports no register function");
    await register(contextOf(message));
    send({ type: "ready" });
  } catch (error) { send({ type: "failed", message: text(error) }); }
}
async function invoke({ id, handler, args }) {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const work = handlers.get(handler);
    if (work === undefined) throw new Error("it is no longer registered");
    const progress = (words) => send({ type: "progress", id, text: String(words) });
    const value = await current.run(id, () => work(args, stop.signal, progress));
    send({ type: "reply", id, value: plain(value) });
  } catch (error) { send({ type: "error", id, message: text(error) }); }
  finally { running.delete(id); }
}
process.on("message", (message) => {
  if (message.type === "start") void start(message);
  else if (message.type === "invoke") void invoke(message);
  else if (message.type === "abort") running.get(message.id)?.abort();
  else if (message.type === "answer") {
    const open = asked.get(message.id);
    asked.delete(message.id);
    if (message.error === undefined) open?.resolve(message.value);
    else open?.reject(new Error(message.error));
  } else if (message.type === "end") {
    Promise.allSettled(cleanups.reverse().map(async (cleanup) => cleanup())).then(() => process.exit(0));
  }
});
process.on("disconnect", () => process.exit(0));
`;
