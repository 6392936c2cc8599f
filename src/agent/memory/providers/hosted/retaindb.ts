import { readRecord, readRecords, readText } from "#foundation/text/read-fields";
import { limitField, textField, toolShape } from "../service/arguments.ts";
import { bulletList, personOf, safeId } from "../service/names.ts";
import type { MemoryService, ServiceConnection, ServiceTool } from "../service/service.ts";
import { ServiceApi } from "../service/service-api.ts";

const home = "https://api.retaindb.com";
const kinds = ["factual", "preference", "goal", "instruction", "event", "opinion"];

/** RetainDB: typed memories per project and person. */
export const retaindb: MemoryService = {
  name: "retaindb",
  schema: [
    {
      key: "api_key",
      description: "RetainDB API key",
      secret: true,
      required: true,
      envVar: "RETAINDB_API_KEY",
      url: "https://www.retaindb.com",
    },
    { key: "base_url", description: "Address", envVar: "RETAINDB_BASE_URL", default: home },
    { key: "project", description: "Project; empty is one per profile", envVar: "RETAINDB_PROJECT" },
  ],
  prompt:
    "You have a memory at RetainDB beside your notes. What fits the user's message is recalled by itself; retaindb_search finds more, " +
    "retaindb_remember keeps a fact, retaindb_forget removes one by its id.",
  connect(settings, user): ServiceConnection {
    const api = new ServiceApi({ settings, address: "base_url", key: "api_key", home, scheme: { kind: "bearer" } });
    const project = settings.text("project") || safeId(`hermes-${user.identity}`);
    const userId = personOf(user, "default");
    const scope = { project, user_id: userId };
    const search = async (query: string, limit: number, signal: AbortSignal) =>
      memoriesIn(await api.send("POST /v1/memory/search", { ...scope, query, top_k: limit }, signal));
    const add = (content: string, kind: string, signal: AbortSignal) =>
      api.send("POST /v1/memory", { ...scope, session_id: user.sessionId, content, memory_type: kind }, signal);
    const context = async (query: string, signal: AbortSignal) =>
      readRecord(await api.send("POST /v1/context/query", { ...scope, query, include_memories: true }, signal));
    const profile = (signal: AbortSignal) =>
      api.send(`GET /v1/memory/profile/${userId}?project=${encodeURIComponent(project)}`, undefined, signal);
    return {
      tools: [
        {
          ...toolShape({ name: "retaindb_profile", description: "What is known about the user", properties: {} }),
          isReadOnly: true,
          run: async (_args, signal) => memoriesIn(await profile(signal)),
        },
        {
          ...toolShape({
            name: "retaindb_search",
            description: "Searches memories by meaning",
            properties: { query: textField("What to look for"), limit: limitField },
            required: ["query"],
          }),
          isReadOnly: true,
          run: (args, signal) => search(args.text("query"), args.count("limit", { usual: 8, most: 50 }), signal),
        },
        {
          ...toolShape({
            name: "retaindb_context",
            description: "What matters for a task, as one text",
            properties: { query: textField("The task") },
            required: ["query"],
          }),
          isReadOnly: true,
          run: (args, signal) => context(args.text("query"), signal),
        },
        rememberTool(add),
        {
          ...toolShape({
            name: "retaindb_forget",
            description: "Removes a memory",
            properties: { memory_id: textField("The id from a search") },
            required: ["memory_id"],
          }),
          isReadOnly: false,
          run: (args, signal) =>
            api.send(`DELETE /v1/memory/${encodeURIComponent(args.text("memory_id"))}`, undefined, signal),
        },
      ],
      recall: async (query, signal) => bulletList((await search(query, 8, signal)).map(({ content }) => content)),
      async remember({ sessionId, user: words, assistant }, signal) {
        const messages = [
          { role: "user", content: words },
          { role: "assistant", content: assistant },
        ];
        await api.send("POST /v1/memory/ingest/session", { ...scope, session_id: sessionId, messages }, signal);
      },
      note: async (content, signal) => void (await add(content, "factual", signal)),
    };
  },
};

function rememberTool(add: (content: string, kind: string, signal: AbortSignal) => Promise<unknown>): ServiceTool {
  return {
    ...toolShape({
      name: "retaindb_remember",
      description: "Keeps a fact",
      properties: {
        content: textField("One sentence"),
        memory_type: { type: "string", enum: kinds, description: "What kind of fact it is" },
      },
      required: ["content"],
    }),
    isReadOnly: false,
    run: (args, signal) => add(args.text("content"), args.text("memory_type") || "factual", signal),
  };
}

function memoriesIn(answer: unknown): readonly { readonly id: string; readonly content: string }[] {
  const found = readRecord(answer);
  return readRecords(found["memories"] ?? found["results"]).flatMap((one) => {
    const content = readText(one["content"]);
    return content === undefined ? [] : [{ id: readText(one["id"]) ?? "", content }];
  });
}
