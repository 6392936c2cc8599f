import { readRecord, readRecords, readText, readTexts } from "#foundation/text/read-fields";
import { limitField, textField, toolShape } from "../service/arguments.ts";
import { bulletList, personOf, safeId } from "../service/names.ts";
import { once } from "../service/once.ts";
import type { MemoryService, ServiceConnection, ServiceTool, ServiceUser } from "../service/service.ts";
import { ServiceApi } from "../service/service-api.ts";
import type { ServiceSettings } from "../service/settings.ts";

const honchoHome = "https://api.honcho.dev";
const honchoModes = ["hybrid", "context", "tools"] as const;
const messageCharacters = 25_000;
const messagesPerCall = 100;

/** Honcho: two peers, the person and Hermes, and what one concludes about the other. */
export const honcho: MemoryService = {
  name: "honcho",
  configFile: "honcho.json",
  schema: [
    {
      key: "apiKey",
      description: "Honcho API key; empty for a server of your own without one",
      secret: true,
      envVar: "HONCHO_API_KEY",
      url: "https://app.honcho.dev/api-keys",
    },
    {
      key: "baseUrl",
      description: "Address of a server of your own",
      envVar: "HONCHO_BASE_URL",
      isInEnvironment: true,
    },
    { key: "workspace", description: "Workspace", default: "hermes" },
    { key: "peerName", description: "The name you are remembered under", default: "user" },
    { key: "aiPeer", description: "The name Hermes is remembered under", default: "hermes" },
    {
      key: "recallMode",
      description: "What Honcho is for: recall before each turn, tools, or both (hybrid)",
      choices: honchoModes,
      default: "hybrid",
    },
  ],
  prompt:
    "You have a memory at Honcho, which draws conclusions about the user from what is said. honcho_search finds what was said, honcho_context and " +
    "honcho_profile say what is known, honcho_reasoning answers a question about the user, honcho_conclude keeps a fact.",
  isReady: (settings) => settings.secret("apiKey") !== undefined || settings.text("baseUrl") !== "",
  connect(settings, user): ServiceConnection {
    const mode = settings.text("recallMode");
    const wire = new HonchoWire(settings, user);
    return {
      tools: mode === "context" ? [] : toolsOf(wire),
      ...(mode === "tools" ? {} : { recall: (query, signal) => wire.recall(query, signal) }),
      remember: ({ user: words, assistant }, signal) => wire.say(words, assistant, signal),
      note: async (content, signal) => void (await wire.conclude(content, signal)),
    };
  },
};

/** The addresses of one workspace, one person and one session. */
class HonchoWire {
  readonly #api: ServiceApi;
  readonly #workspace: string;
  readonly #person: string;
  readonly #self: string;
  readonly #session: string;
  readonly #opened = once((signal) => this.#open(signal));

  constructor(settings: ServiceSettings, user: ServiceUser) {
    this.#api = new ServiceApi({
      settings,
      address: "baseUrl",
      key: "apiKey",
      home: honchoHome,
      scheme: { kind: "bearer" },
    });
    this.#workspace = safeId(settings.text("workspace"));
    this.#person = personOf(user, settings.text("peerName"));
    this.#self = safeId(settings.text("aiPeer"));
    this.#session = safeId(user.sessionId);
  }

  /** Adds a question to the address of the person. */
  async ofPerson(route: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    await this.#opened(signal);
    const [method, path] = route.split(" ", 2);
    return await this.#api.send(`${method} ${this.#at(`/peers/${this.#person}${path}`)}`, body, signal);
  }

  async context(query: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const search = query === "" ? "" : `&search_query=${encodeURIComponent(query.slice(0, 2_000))}`;
    return readRecord(await this.ofPerson(`GET /context?target=${this.#person}${search}`, undefined, signal));
  }

  async recall(query: string, signal: AbortSignal): Promise<string> {
    const found = await this.context(query, signal);
    return [bulletList(readTexts(found["peer_card"])), readText(found["representation"]) ?? ""]
      .filter((part) => part !== "")
      .join("\n");
  }

  async say(words: string, answer: string, signal: AbortSignal): Promise<void> {
    await this.#opened(signal);
    const messages = [...piecesOf(words, this.#person), ...piecesOf(answer, this.#self)];
    for (let at = 0; at < messages.length; at += messagesPerCall) {
      const body = { messages: messages.slice(at, at + messagesPerCall) };
      await this.#api.send(`POST ${this.#at(`/sessions/${this.#session}/messages`)}`, body, signal);
    }
  }

  async conclude(content: string, signal: AbortSignal): Promise<unknown> {
    await this.#opened(signal);
    const conclusion = {
      content,
      observer_id: this.#self,
      observed_id: this.#person,
      session_id: this.#session,
    };
    return await this.#api.send(`POST ${this.#at("/conclusions")}`, { conclusions: [conclusion] }, signal);
  }

  async forget(id: string, signal: AbortSignal): Promise<void> {
    await this.#api.send(`DELETE ${this.#at(`/conclusions/${encodeURIComponent(id)}`)}`, undefined, signal);
  }

  /** Workspace, peers and session are made where they are missing. */
  async #open(signal: AbortSignal): Promise<void> {
    await this.#api.send("POST /v3/workspaces", { id: this.#workspace }, signal);
    for (const id of [this.#person, this.#self]) await this.#api.send(`POST ${this.#at("/peers")}`, { id }, signal);
    const peers = {
      [this.#person]: { observe_me: true, observe_others: false },
      [this.#self]: { observe_me: false, observe_others: true },
    };
    await this.#api.send(`POST ${this.#at("/sessions")}`, { id: this.#session, peers }, signal);
  }

  #at(path: string): string {
    return `/v3/workspaces/${this.#workspace}${path}`;
  }
}

/** A message may have 25,000 characters. */
function piecesOf(text: string, peer: string): readonly { readonly peer_id: string; readonly content: string }[] {
  const pieces: { peer_id: string; content: string }[] = [];
  for (let at = 0; at < text.length; at += messageCharacters)
    pieces.push({ peer_id: peer, content: text.slice(at, at + messageCharacters) });
  return pieces;
}

function toolsOf(wire: HonchoWire): readonly ServiceTool[] {
  const query = { query: textField("What to look for") };
  return [
    {
      ...toolShape({ name: "honcho_profile", description: "The card of facts about the user", properties: {} }),
      isReadOnly: true,
      run: async (_args, signal) => readRecord(await wire.ofPerson("GET /card", undefined, signal))["peer_card"] ?? [],
    },
    {
      ...toolShape({
        name: "honcho_search",
        description: "Finds what was said earlier, by meaning",
        properties: { ...query, limit: limitField },
        required: ["query"],
      }),
      isReadOnly: true,
      run: async (args, signal) => {
        const limit = args.count("limit", { usual: 10, most: 100 });
        const found = await wire.ofPerson("POST /search", { query: args.text("query"), limit }, signal);
        return readRecords(found).map(({ content, session_id, created_at }) => ({ content, session_id, created_at }));
      },
    },
    {
      ...toolShape({
        name: "honcho_context",
        description: "What is known about the user, for a purpose",
        properties: query,
      }),
      isReadOnly: true,
      run: (args, signal) => wire.context(args.text("query"), signal),
    },
    {
      ...toolShape({
        name: "honcho_reasoning",
        description: "Lets Honcho answer a question about the user; slower than a search",
        properties: { query: textField("The question") },
        required: ["query"],
      }),
      isReadOnly: true,
      run: async (args, signal) => {
        const answer = await wire.ofPerson("POST /chat", { query: args.text("query"), stream: false }, signal);
        return readRecord(answer)["content"];
      },
    },
    {
      ...toolShape({
        name: "honcho_conclude",
        description: "Keeps a fact about the user, or removes one by its id",
        properties: { conclusion: textField("One sentence"), delete_id: textField("The id of one to remove") },
      }),
      isReadOnly: false,
      run: async (args, signal) => {
        const id = args.text("delete_id");
        if (id !== "") return await wire.forget(id, signal).then(() => ({ deleted: id }));
        const content = args.text("conclusion");
        return content === ""
          ? { saved: false, reason: "There is no conclusion." }
          : await wire.conclude(content, signal);
      },
    },
  ];
}
