import { isRecord } from "#foundation/text/json";
import { readRecords, readText } from "#foundation/text/read-fields";
import { limitField, textField, toolShape } from "../service/arguments.ts";
import { bulletList, personOf, safeId, turnText } from "../service/names.ts";
import type { MemoryService, ServiceConnection } from "../service/service.ts";
import { ServiceApi } from "../service/service-api.ts";

const home = "https://api.mem0.ai";

/** Mem0: facts are drawn from what is said, on its servers. */
export const mem0: MemoryService = {
  name: "mem0",
  configFile: "mem0.json",
  schema: [
    {
      key: "api_key",
      description: "Mem0 API key",
      secret: true,
      required: true,
      envVar: "MEM0_API_KEY",
      url: "https://app.mem0.ai/dashboard/api-keys",
    },
    { key: "host", description: "Address", envVar: "MEM0_HOST", isInEnvironment: true, default: home },
    { key: "user_id", description: "The name you are remembered under", default: "hermes-user" },
    { key: "agent_id", description: "The name Hermes is remembered under", default: "hermes" },
    { key: "rerank", description: "Sort results by relevance (slower)", choices: ["true", "false"], default: "true" },
  ],
  prompt:
    "You have a memory at Mem0 beside your notes. What fits the user's message is recalled by itself; mem0_search finds more, mem0_profile lists " +
    "everything known, mem0_conclude keeps a fact word for word.",
  connect(settings, user): ServiceConnection {
    const api = new ServiceApi({
      settings,
      address: "host",
      key: "api_key",
      home,
      scheme: { kind: "header", name: "Authorization", prefix: "Token " },
    });
    const userId = personOf(user, settings.text("user_id"));
    const agentId = safeId(settings.text("agent_id"));
    const filters = { AND: [{ user_id: userId }] };
    const rerank = settings.text("rerank") === "true";
    const search = async (query: string, limit: number, signal: AbortSignal) =>
      memoriesIn(await api.send("POST /v2/memories/search/", { query, filters, top_k: limit, rerank }, signal));
    const add = (content: string, infer: boolean, signal: AbortSignal) => {
      const messages = [{ role: "user", content }];
      return api.send("POST /v1/memories/", { messages, user_id: userId, agent_id: agentId, infer }, signal);
    };
    return {
      tools: [
        {
          ...toolShape({ name: "mem0_profile", description: "Everything Mem0 knows about the user", properties: {} }),
          isReadOnly: true,
          run: async (_args, signal) =>
            memoriesIn(await api.send("POST /v2/memories/?page=1&page_size=100", { filters }, signal)),
        },
        {
          ...toolShape({
            name: "mem0_search",
            description: "Searches Mem0 by meaning",
            properties: { query: textField("What to look for"), limit: limitField },
            required: ["query"],
          }),
          isReadOnly: true,
          run: (args, signal) => search(args.text("query"), args.count("limit", { usual: 10, most: 50 }), signal),
        },
        {
          ...toolShape({
            name: "mem0_conclude",
            description: "Keeps a fact about the user at Mem0, word for word",
            properties: { conclusion: textField("One sentence") },
            required: ["conclusion"],
          }),
          isReadOnly: false,
          run: (args, signal) => add(args.text("conclusion"), false, signal),
        },
      ],
      recall: async (query, signal) => bulletList((await search(query, 8, signal)).map(({ memory }) => memory)),
      remember: async (turn, signal) => void (await add(turnText(turn), true, signal)),
      note: async (content, signal) => void (await add(content, false, signal)),
    };
  },
};

/** The service has answered with a bare list and with an object that holds it. */
function memoriesIn(answer: unknown): readonly { readonly id: string; readonly memory: string }[] {
  const list = isRecord(answer) ? (answer["results"] ?? answer["memories"]) : answer;
  return (Array.isArray(list) ? readRecords(list) : []).flatMap((one) => {
    const memory = readText(one["memory"]);
    return memory === undefined ? [] : [{ id: readText(one["id"]) ?? "", memory }];
  });
}
