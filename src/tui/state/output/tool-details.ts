import { plural } from "#foundation/text/figures";
import { isRecord } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";

/** How a tool's row reads. */
export interface ToolLook {
  readonly emoji: string;
  readonly verb: string;
  readonly detail: string;
  readonly isPath?: boolean;
}

type Args = Readonly<Record<string, unknown>>;
type Look = (args: Args, name: string) => ToolLook;

/** Emoji, verb and the most telling argument of each tool. */
export function toolDetails(name: string, args: Args): ToolLook {
  // A tool that was looked up reads like any other.
  if (name === "tool_call" && typeof args["name"] === "string") {
    const meant = args["arguments"];
    return toolDetails(args["name"], isRecord(meant) ? meant : {});
  }
  const look = Object.hasOwn(looks, name) ? looks[name] : undefined;
  if (look !== undefined) return look(args, name);
  return { emoji: "⚡", verb: truncateEnd(name, 40), detail: firstOf(args) ?? allOf(args) };
}

const looks: Readonly<Record<string, Look>> = {
  terminal: (args) => ({ emoji: "💻", verb: "$", detail: script(text(args, "command")) }),
  process: (args) => ({ emoji: "⚙️", verb: "proc", detail: words(text(args, "action"), text(args, "session_id")) }),
  read_file: (args) => ({ emoji: "📖", verb: "read", detail: text(args, "path"), isPath: true }),
  write_file: (args) => ({ emoji: "✍️", verb: "write", detail: text(args, "path"), isPath: true }),
  patch: (args) => ({ emoji: "🔧", verb: "patch", detail: text(args, "path") || "several files", isPath: true }),
  search_files: (args) => ({
    emoji: "🔎",
    verb: text(args, "target") === "files" ? "find" : "grep",
    detail: text(args, "pattern"),
  }),
  web_search: (args) => ({ emoji: "🔍", verb: "search", detail: text(args, "query") }),
  web_extract: (args) => ({ emoji: "📄", verb: "fetch", detail: domains(args) }),
  browser_navigate: (args) => ({ emoji: "🌐", verb: "navigate", detail: domain(text(args, "url")) }),
  browser_click: (args) => ({ emoji: "👆", verb: "click", detail: text(args, "ref") }),
  browser_type: (args) => ({ emoji: "⌨️", verb: "type", detail: quoted(text(args, "text")) }),
  browser_press: (args) => ({ emoji: "⌨️", verb: "press", detail: text(args, "key") }),
  browser_scroll: (args) => ({ emoji: "📜", verb: "scroll", detail: text(args, "direction") }),
  browser_back: () => ({ emoji: "🌐", verb: "back", detail: "" }),
  browser_snapshot: (args) => ({ emoji: "📸", verb: "snapshot", detail: args["full"] === true ? "full" : "" }),
  browser_vision: (args) => ({ emoji: "👁️", verb: "vision", detail: text(args, "question") }),
  vision_analyze: (args) => ({ emoji: "👁️", verb: "vision", detail: text(args, "question") }),
  todo: (args) => ({ emoji: "📋", verb: "plan", detail: tasks(args) }),
  memory: (args) => ({ emoji: "🧠", verb: "memory", detail: remembered(args) }),
  session_search: (args) => ({ emoji: "🔍", verb: "recall", detail: quoted(text(args, "query")) }),
  skills_list: (args) => ({ emoji: "📚", verb: "skills", detail: text(args, "category") }),
  skill_view: (args) => ({ emoji: "📚", verb: "skill", detail: text(args, "name") }),
  skill_manage: (args) => ({ emoji: "📚", verb: "skill", detail: words(text(args, "action"), text(args, "name")) }),
  execute_code: (args) => ({ emoji: "🐍", verb: "exec", detail: script(text(args, "code")) }),
  delegate_task: (args) => ({ emoji: "🔀", verb: "delegate", detail: delegated(args) }),
  cronjob: (args) => ({ emoji: "⏰", verb: "cron", detail: words(text(args, "action"), text(args, "name")) }),
  send_message: (args) => ({ emoji: "📨", verb: "send", detail: words(text(args, "target"), text(args, "message")) }),
  image_generate: (args) => ({ emoji: "🎨", verb: "create", detail: text(args, "prompt") }),
  text_to_speech: (args) => ({ emoji: "🔊", verb: "speak", detail: text(args, "text") }),
  clarify: (args) => ({ emoji: "❓", verb: "ask", detail: text(args, "question") }),
};

const telling = ["query", "text", "command", "path", "name", "prompt", "code", "goal"];

function firstOf(args: Args): string | undefined {
  const key = telling.find((one) => typeof args[one] === "string" && args[one] !== "");
  return key === undefined ? undefined : text(args, key);
}

/** Short enough for a row; a list or an object by its size. */
function allOf(args: Args): string {
  const shown = Object.entries(args).flatMap(([key, value]) => {
    if (value === undefined || value === null || value === "") return [];
    if (Array.isArray(value)) return [`${key}: [${value.length}]`];
    return [`${key}: ${typeof value === "object" ? "{…}" : truncateEnd(String(value), 60)}`];
  });
  return truncateEnd(shown.join(", "), 200);
}

function text(args: Args, key: string): string {
  const value = args[key];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

function words(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

function quoted(value: string): string {
  return value === "" ? "" : `"${truncateEnd(value, 60)}"`;
}

/** Its first line, and how many more there are. */
function script(value: string): string {
  const rows = value.split("\n").filter((row) => row.trim() !== "");
  const more = rows.length - 1;
  return more > 0 ? `${rows[0]} … +${plural(more, "line")}` : (rows[0] ?? "");
}

function domain(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname || url : url;
}

function domains(args: Args): string {
  const urls = Array.isArray(args["urls"]) ? args["urls"].filter((one) => typeof one === "string") : [];
  const first = urls[0] ?? text(args, "url");
  return urls.length > 1 ? `${domain(first)} +${urls.length - 1}` : domain(first);
}

function tasks(args: Args): string {
  const list = args["todos"];
  if (!Array.isArray(list)) return "reading tasks";
  const count = `${list.length} task${list.length === 1 ? "" : "s"}`;
  return args["merge"] === true ? `update ${count}` : count;
}

function remembered(args: Args): string {
  const sign = { add: "+", replace: "~", remove: "-" }[text(args, "action")] ?? "";
  const words = text(args, "content") || text(args, "old_text");
  return `${sign}${text(args, "target") || "memory"}: ${quoted(words)}`;
}

function delegated(args: Args): string {
  const list = args["tasks"];
  if (Array.isArray(list) && list.length > 1) return `${list.length} parallel tasks`;
  const only = Array.isArray(list) ? list[0] : undefined;
  return text(args, "goal") || text((only ?? {}) as Args, "goal");
}
