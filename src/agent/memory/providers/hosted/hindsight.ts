import { readRecord, readRecords, readText } from "#foundation/text/read-fields";
import { textField, toolShape } from "../service/arguments.ts";
import { bulletList, safeId, turnText } from "../service/names.ts";
import type { MemoryService, ServiceConnection } from "../service/service.ts";
import { ServiceApi } from "../service/service-api.ts";

const home = "https://api.hindsight.vectorize.io";

/** Hindsight: a bank of facts that is recalled from and reflected on, in the cloud or on a server of one's own. */
export const hindsight: MemoryService = {
  name: "hindsight",
  configFile: "hindsight/config.json",
  schema: [
    { key: "mode", description: "Where Hindsight runs", choices: ["cloud", "external"], default: "cloud" },
    {
      key: "api_key",
      description: "Hindsight API key",
      secret: true,
      required: true,
      envVar: "HINDSIGHT_API_KEY",
      url: "https://ui.hindsight.vectorize.io",
      when: { mode: "cloud" },
    },
    {
      key: "api_url",
      description: "Address of the server",
      envVar: "HINDSIGHT_API_URL",
      isInEnvironment: true,
      defaultFrom: { field: "mode", map: { cloud: home, external: "http://127.0.0.1:8888" } },
    },
    { key: "bank_id", description: "The bank facts are kept in", default: "hermes" },
    { key: "recall_budget", description: "How hard to look", choices: ["low", "mid", "high"], default: "low" },
  ],
  prompt:
    "You have a memory at Hindsight beside your notes. What fits the user's message is recalled by itself; hindsight_recall finds more, " +
    "hindsight_reflect answers a question from everything known, hindsight_retain keeps a fact.",
  connect(settings, user): ServiceConnection {
    const external = settings.text("mode") === "external" && settings.text("api_url") === "";
    const api = new ServiceApi({
      settings,
      address: "api_url",
      key: "api_key",
      home: external ? "http://127.0.0.1:8888" : home,
      scheme: { kind: "bearer" },
    });
    const name = settings.text("bank_id");
    const bank = `/v1/default/banks/${safeId(user.userId === undefined ? name : `${name}-${user.userId}`)}`;
    const budget = settings.text("recall_budget");
    const retain = (content: string, context: string, signal: AbortSignal) =>
      api.send(`POST ${bank}/memories`, { items: [{ content, context }], async: true }, signal);
    const recall = async (query: string, signal: AbortSignal) => {
      const answer = await api.send(`POST ${bank}/memories/recall`, { query, budget, max_tokens: 2048 }, signal);
      return readRecords(readRecord(answer)["results"]).flatMap((one) => readText(one["text"]) ?? []);
    };
    return {
      tools: [
        {
          ...toolShape({
            name: "hindsight_retain",
            description: "Keeps a fact",
            properties: { content: textField("What to keep"), context: textField("Where it comes from") },
            required: ["content"],
          }),
          isReadOnly: false,
          run: (args, signal) => retain(args.text("content"), args.text("context") || "said by the assistant", signal),
        },
        {
          ...toolShape({
            name: "hindsight_recall",
            description: "Finds facts by meaning",
            properties: { query: textField("What to look for") },
            required: ["query"],
          }),
          isReadOnly: true,
          run: (args, signal) => recall(args.text("query"), signal),
        },
        {
          ...toolShape({
            name: "hindsight_reflect",
            description: "Answers a question from everything that is known",
            properties: { query: textField("The question") },
            required: ["query"],
          }),
          isReadOnly: true,
          run: async (args, signal) =>
            readRecord(await api.send(`POST ${bank}/reflect`, { query: args.text("query"), budget }, signal))["text"],
        },
      ],
      recall: async (query, signal) => bulletList(await recall(query, signal)),
      remember: async (turn, signal) => void (await retain(turnText(turn), "conversation with the user", signal)),
      note: async (content, signal) => void (await retain(content, "note of the assistant", signal)),
    };
  },
};
