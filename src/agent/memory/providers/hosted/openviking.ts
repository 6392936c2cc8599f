import { readRecord, readRecords, readText } from "#foundation/text/read-fields";
import { truncateEnd } from "#foundation/text/text";
import { limitField, textField, toolShape } from "../service/arguments.ts";
import { bulletList, personOf } from "../service/names.ts";
import { once } from "../service/once.ts";
import type { MemoryService, ServiceConnection, ServiceTool } from "../service/service.ts";
import { ServiceApi } from "../service/service-api.ts";

const home = "http://127.0.0.1:1933";
const messageCharacters = 20_000;

/** OpenViking: a tree of memories and resources (`viking://`) on a server of one's own. */
export const openviking: MemoryService = {
  name: "openviking",
  schema: [
    { key: "endpoint", description: "Address of the server", envVar: "OPENVIKING_ENDPOINT", default: home },
    { key: "api_key", description: "API key, if the server asks for one", secret: true, envVar: "OPENVIKING_API_KEY" },
    { key: "account", description: "Account", envVar: "OPENVIKING_ACCOUNT", default: "default" },
    { key: "user", description: "User", envVar: "OPENVIKING_USER", default: "default" },
  ],
  prompt:
    "You have a memory on an OpenViking server: a tree of viking:// addresses. viking_search finds, viking_browse lists, viking_read reads an " +
    "address (abstract, overview or full), viking_remember keeps a fact, viking_add_resource takes in a page or repository.",
  isReady: (settings) => URL.canParse(settings.text("endpoint")),
  connect(settings, user): ServiceConnection {
    const api = new ServiceApi({
      settings,
      address: "endpoint",
      key: "api_key",
      home,
      scheme: { kind: "header", name: "X-API-Key" },
      headers: {
        "X-OpenViking-Account": settings.text("account"),
        "X-OpenViking-User": personOf(user, settings.text("user")),
      },
    });
    const ask = async (route: string, body: unknown, signal: AbortSignal) =>
      readRecord(await api.send(route, body, signal))["result"];
    const session = once(async (signal) => {
      const made = readRecord(await ask("POST /api/v1/sessions", {}, signal));
      return `/api/v1/sessions/${encodeURIComponent(readText(made["session_id"]) ?? "")}`;
    });
    const say = async (role: string, content: string, signal: AbortSignal) =>
      await ask(
        `POST ${await session(signal)}/messages`,
        { role, content: truncateEnd(content, messageCharacters) },
        signal,
      );
    const find = async (query: string, { target = "", limit = 10 }, signal: AbortSignal) => {
      const where = target === "" ? {} : { target_uri: target };
      return foundIn(await ask("POST /api/v1/search/find", { query, limit, ...where }, signal));
    };
    return {
      tools: [...treeTools(ask, find), ...writingTools(ask, say)],
      recall: async (query, signal) =>
        bulletList((await find(query, { limit: 6 }, signal)).map(({ uri, abstract }) => `${abstract} (${uri})`)),
      async remember({ user: words, assistant }, signal) {
        await say("user", words, signal);
        await say("assistant", assistant, signal);
      },
      note: async (content, signal) => void (await say("user", `Remember: ${content}`, signal)),
      // Memories are drawn from a session when it is committed.
      async end(_messages, signal) {
        if (session.hasRun) await ask(`POST ${await session(signal)}/commit`, {}, signal);
      },
    };
  },
};

type Ask = (route: string, body: unknown, signal: AbortSignal) => Promise<unknown>;
type Find = (
  query: string,
  options: { readonly target?: string; readonly limit?: number },
  signal: AbortSignal,
) => Promise<unknown>;
const address = textField("A viking:// address");

function treeTools(ask: Ask, find: Find): readonly ServiceTool[] {
  return [
    {
      ...toolShape({
        name: "viking_search",
        description: "Searches memories and resources by meaning",
        properties: { query: textField("What to look for"), scope: address, limit: limitField },
        required: ["query"],
      }),
      isReadOnly: true,
      run: (args, signal) =>
        find(
          args.text("query"),
          { target: args.text("scope"), limit: args.count("limit", { usual: 10, most: 50 }) },
          signal,
        ),
    },
    {
      ...toolShape({
        name: "viking_read",
        description: "Reads an address: a sentence (abstract), a page (overview) or all of it (full)",
        properties: { uri: address, level: { type: "string", enum: ["abstract", "overview", "full"] } },
        required: ["uri"],
      }),
      isReadOnly: true,
      run: (args, signal) => {
        const level = args.text("level") || "overview";
        const kind = level === "full" ? "read" : level;
        return ask(`GET /api/v1/content/${kind}?uri=${encodeURIComponent(args.text("uri"))}`, undefined, signal);
      },
    },
    {
      ...toolShape({
        name: "viking_browse",
        description: "Lists what is below an address",
        properties: { uri: address, action: { type: "string", enum: ["list", "tree", "stat"] } },
      }),
      isReadOnly: true,
      run: (args, signal) => {
        const action = args.text("action") || "list";
        const kind = action === "list" ? "ls" : action;
        const uri = encodeURIComponent(args.text("uri") || "viking://");
        return ask(`GET /api/v1/fs/${kind}?uri=${uri}`, undefined, signal);
      },
    },
  ];
}

function writingTools(
  ask: Ask,
  say: (role: string, content: string, signal: AbortSignal) => Promise<unknown>,
): readonly ServiceTool[] {
  return [
    {
      ...toolShape({
        name: "viking_remember",
        description: "Keeps a fact; it is filed when the session ends",
        properties: { content: textField("One sentence") },
        required: ["content"],
      }),
      isReadOnly: false,
      run: (args, signal) => say("user", `Remember: ${args.text("content")}`, signal),
    },
    {
      ...toolShape({
        name: "viking_add_resource",
        description: "Takes in a page or repository by its address",
        properties: { url: textField("An http, https or git address"), reason: textField("What it is for") },
        required: ["url"],
      }),
      isReadOnly: false,
      // A path would be read by the server, past everything that guards files here.
      run: async (args, signal) => {
        const path = args.text("url");
        if (!/^(https?|git|ssh):\/\/\S+$/.test(path))
          return { added: false, reason: "Only addresses can be taken in." };
        return await ask("POST /api/v1/resources", { path, reason: args.text("reason") }, signal);
      },
    },
  ];
}

function foundIn(result: unknown): readonly { readonly uri: string; readonly abstract: string }[] {
  const groups = readRecord(result);
  return ["memories", "resources", "skills"].flatMap((group) =>
    readRecords(groups[group]).flatMap((one) => {
      const [uri, abstract] = [readText(one["uri"]), readText(one["abstract"])];
      return uri === undefined ? [] : [{ uri, abstract: abstract ?? "" }];
    }),
  );
}
