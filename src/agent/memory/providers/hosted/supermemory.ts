import { createHash } from "node:crypto";
import { readRecord, readRecords, readText, readTexts } from "#foundation/text/read-fields";
import { limitField, textField, toolShape } from "../service/arguments.ts";
import { bulletList, safeId, turnText } from "../service/names.ts";
import type { MemoryService, ServiceConnection, ServiceUser } from "../service/service.ts";
import { ServiceApi } from "../service/service-api.ts";
import type { ServiceSettings } from "../service/settings.ts";

const home = "https://api.supermemory.ai";

/** Supermemory: memories and a profile per container. */
export const supermemory: MemoryService = {
  name: "supermemory",
  configFile: "supermemory.json",
  schema: [
    {
      key: "api_key",
      description: "Supermemory API key",
      secret: true,
      required: true,
      envVar: "SUPERMEMORY_API_KEY",
      url: "https://console.supermemory.ai",
    },
    { key: "base_url", description: "Address", envVar: "SUPERMEMORY_BASE_URL", isInEnvironment: true, default: home },
    {
      key: "container_tag",
      description: "Where memories are kept; {identity} is the profile",
      default: "hermes-{identity}",
    },
  ],
  prompt:
    "You have a memory at Supermemory beside your notes. What fits the user's message is recalled by itself; supermemory_search finds more, " +
    "supermemory_store keeps a fact, supermemory_forget removes one, supermemory_profile says who the user is.",
  connect(settings, user): ServiceConnection {
    const api = new ServiceApi({ settings, address: "base_url", key: "api_key", home, scheme: { kind: "bearer" } });
    const containerTag = containerOf(settings, user);
    const search = async (q: string, limit: number, signal: AbortSignal) =>
      resultsIn(await api.send("POST /v4/search", { q, containerTag, limit, searchMode: "hybrid" }, signal));
    const store = (content: string, signal: AbortSignal) =>
      api.send("POST /v4/memories", { memories: [{ content }], containerTag }, signal);
    const profile = async (q: string, signal: AbortSignal) =>
      readRecord(await api.send("POST /v4/profile", { containerTag, ...(q === "" ? {} : { q }) }, signal));
    return {
      tools: toolsOf({ api, containerTag, search, store, profile }),
      async recall(query, signal) {
        const answer = await profile(query, signal);
        const known = readRecord(answer["profile"]);
        const found = resultsIn(answer["searchResults"]).map(({ memory }) => memory);
        return bulletList([...new Set([...readTexts(known["static"]), ...readTexts(known["dynamic"]), ...found])]);
      },
      async remember(turn, signal) {
        const content = turnText(turn);
        // The same turn again is the same document.
        const mark = createHash("sha256").update(content).digest("hex").slice(0, 16);
        const customId = `${safeId(turn.sessionId, 80)}-${mark}`;
        await api.send("POST /v3/documents", { content, containerTag, customId }, signal);
      },
      note: async (content, signal) => void (await store(content, signal)),
    };
  },
};

function containerOf(settings: ServiceSettings, user: ServiceUser): string {
  const container = settings.text("container_tag").replaceAll("{identity}", user.identity);
  return safeId(user.userId === undefined ? container : `${container}-${user.userId}`);
}

interface Calls {
  readonly api: ServiceApi;
  readonly containerTag: string;
  search(query: string, limit: number, signal: AbortSignal): Promise<unknown>;
  store(content: string, signal: AbortSignal): Promise<unknown>;
  profile(query: string, signal: AbortSignal): Promise<unknown>;
}

function toolsOf({ api, containerTag, search, store, profile }: Calls): ServiceConnection["tools"] {
  return [
    {
      ...toolShape({
        name: "supermemory_store",
        description: "Keeps a fact",
        properties: { content: textField("One sentence") },
        required: ["content"],
      }),
      isReadOnly: false,
      run: (args, signal) => store(args.text("content"), signal),
    },
    {
      ...toolShape({
        name: "supermemory_search",
        description: "Searches memories and documents by meaning",
        properties: { query: textField("What to look for"), limit: limitField },
        required: ["query"],
      }),
      isReadOnly: true,
      run: (args, signal) => search(args.text("query"), args.count("limit", { usual: 5, most: 50 }), signal),
    },
    {
      ...toolShape({
        name: "supermemory_forget",
        description: "Removes a memory, by its id or its exact words",
        properties: { id: textField("The id from a search"), content: textField("The exact words, without an id") },
      }),
      isReadOnly: false,
      run: async (args, signal) => {
        const [id, content] = [args.text("id"), args.text("content")];
        if (id === "" && content === "") return { forgotten: false, reason: "Name an id, or the exact words." };
        return await api.send("DELETE /v4/memories", { containerTag, ...(id === "" ? { content } : { id }) }, signal);
      },
    },
    {
      ...toolShape({
        name: "supermemory_profile",
        description: "What is known about the user in general",
        properties: { query: textField("What it is needed for") },
      }),
      isReadOnly: true,
      run: (args, signal) => profile(args.text("query"), signal),
    },
  ];
}

function resultsIn(answer: unknown): readonly { readonly id: string; readonly memory: string }[] {
  return readRecords(readRecord(answer)["results"]).flatMap((one) => {
    const memory = readText(one["memory"] ?? one["chunk"]);
    return memory === undefined ? [] : [{ id: readText(one["id"]) ?? "", memory }];
  });
}
