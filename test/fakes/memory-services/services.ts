import { bearer, type Fields, Kept, type MemoryServiceFake, Refused, startMemoryService } from "./memory-service.ts";

export const fakeKey = "mk-0123456789abcdef";

/** Mem0's platform: a token, one entity at least, and filters for reading. */
export function startMem0(kept = new Kept()): Promise<MemoryServiceFake> {
  const ownerIn = (filters: unknown): string => {
    const text = /"user_id":"([^"]+)"/.exec(JSON.stringify(filters))?.[1];
    if (text === undefined) throw new Refused(400, { error: "Filters are required and cannot be empty." });
    return text;
  };
  const shown = (list: readonly { readonly id: string; readonly text: string }[]) =>
    list.map(({ id, text }) => ({ id, memory: text }));
  return startMemoryService({
    isAllowed: ({ headers }) => headers.authorization === `Token ${fakeKey}`,
    routes: {
      "POST /v1/memories/": {
        required: { messages: "array", user_id: "string" },
        optional: { agent_id: "string", infer: "boolean", metadata: "object" },
        answer: ({ json }) => {
          const messages = json["messages"] as readonly Fields[];
          for (const { role, content } of messages)
            if (role !== "user" && role !== "assistant") throw new Refused(400, { error: `role ${String(role)}` });
            else kept.add(String(content), String(json["user_id"]));
          return { results: [{ event: "ADD", status: "PENDING" }] };
        },
      },
      "POST /v2/memories/search/": {
        required: { query: "string", filters: "object" },
        optional: { top_k: "number", rerank: "boolean" },
        answer: ({ json }) => ({ results: shown(kept.find(String(json["query"]), ownerIn(json["filters"]))) }),
      },
      "POST /v2/memories/": {
        required: { filters: "object" },
        answer: ({ json }) => {
          const owner = ownerIn(json["filters"]);
          return { count: kept.all.length, results: shown(kept.all.filter((one) => one.owner === owner)) };
        },
      },
    },
  });
}

const tagPattern = /^[A-Za-z0-9_:-]{1,100}$/;

export function startSupermemory(kept = new Kept()): Promise<MemoryServiceFake> {
  const tagOf = (json: Fields): string => {
    const tag = String(json["containerTag"]);
    if (!tagPattern.test(tag)) throw new Refused(400, { error: "containerTag must match the pattern" });
    return tag;
  };
  const results = (query: string, tag: string) => kept.find(query, tag).map(({ id, text }) => ({ id, memory: text }));
  return startMemoryService({
    isAllowed: bearer(fakeKey),
    routes: {
      "POST /v3/documents": {
        required: { content: "string", containerTag: "string" },
        optional: { customId: "string", metadata: "object" },
        answer: ({ json }) => {
          if (String(json["customId"] ?? "").length > 100) throw new Refused(400, { error: "customId is too long" });
          return { id: kept.add(String(json["content"]), tagOf(json)), status: "queued" };
        },
      },
      "POST /v4/memories": {
        required: { memories: "array", containerTag: "string" },
        answer: ({ json }) => ({
          memories: (json["memories"] as readonly Fields[]).map(({ content }) => {
            if (typeof content !== "string" || content === "") throw new Refused(400, { error: "content is required" });
            return { id: kept.add(content, tagOf(json)), memory: content };
          }),
        }),
      },
      "POST /v4/search": {
        required: { q: "string", containerTag: "string" },
        optional: { limit: "number", searchMode: "string" },
        answer: ({ json }) => ({ results: results(String(json["q"]), tagOf(json)), timing: 1 }),
      },
      "POST /v4/profile": {
        required: { containerTag: "string" },
        optional: { q: "string" },
        answer: ({ json }) => ({
          profile: { static: [], dynamic: [] },
          searchResults: { results: json["q"] === undefined ? [] : results(String(json["q"]), tagOf(json)) },
        }),
      },
      "DELETE /v4/memories": {
        required: { containerTag: "string" },
        optional: { id: "string", content: "string", reason: "string" },
        answer: ({ json }) => {
          const id = kept.remove((one) => one.id === json["id"] || one.text === json["content"]);
          if (id === undefined) throw new Refused(404, { error: "Memory not found" });
          return { id, forgotten: true };
        },
      },
    },
  });
}

/** A server with keys; `viking://` addresses only. */
export function startOpenViking(kept = new Kept()): Promise<MemoryServiceFake> {
  const sessions = new Map<string, string[]>();
  const ok = (result: unknown) => ({ status: "ok", result, time: 0.01 });
  const uriOf = (query: URLSearchParams): string => {
    const uri = query.get("uri") ?? "";
    if (!uri.startsWith("viking://")) throw new Refused(400, { status: "error", error: { message: "Invalid URI" } });
    return uri;
  };
  const messagesOf = (id = ""): string[] => {
    const found = sessions.get(id);
    if (found === undefined) throw new Refused(404, { status: "error", error: { message: "Session not found" } });
    return found;
  };
  const text = { answer: ({ query }: { readonly query: URLSearchParams }) => ok(`Text of ${uriOf(query)}`) };
  const listing = { answer: ({ query }: { readonly query: URLSearchParams }) => ok([{ uri: uriOf(query) }]) };
  return startMemoryService({
    isAllowed: ({ headers }) =>
      headers["x-api-key"] === fakeKey &&
      headers["x-openviking-account"] !== undefined &&
      headers["x-openviking-user"] !== undefined,
    routes: {
      "POST /api/v1/sessions": {
        answer: () => {
          const id = `vs${sessions.size + 1}`;
          sessions.set(id, []);
          return ok({ session_id: id });
        },
      },
      "POST /api/v1/sessions/:id/messages": {
        required: { role: "string", content: "string" },
        answer: ({ json }, [id]) => ok({ message_count: messagesOf(id).push(String(json["content"])) }),
      },
      "POST /api/v1/sessions/:id/commit": {
        answer: (_call, [id]) => {
          for (const one of messagesOf(id)) kept.add(one, "all");
          return ok({ status: "committed" });
        },
      },
      "POST /api/v1/search/find": {
        required: { query: "string" },
        optional: { target_uri: "string", limit: "number" },
        answer: ({ json }) =>
          ok({
            memories: kept
              .find(String(json["query"]), "all")
              .map((one) => ({ uri: `viking://user/memories/${one.id}`, abstract: one.text })),
            resources: [],
            skills: [],
          }),
      },
      "GET /api/v1/content/abstract": text,
      "GET /api/v1/content/overview": text,
      "GET /api/v1/content/read": text,
      "GET /api/v1/fs/ls": listing,
      "GET /api/v1/fs/tree": listing,
      "GET /api/v1/fs/stat": listing,
      "POST /api/v1/resources": {
        required: { path: "string" },
        optional: { reason: "string" },
        answer: () => ok({ root_uri: "viking://resources/1" }),
      },
    },
  });
}

export function startHindsight(kept = new Kept()): Promise<MemoryServiceFake> {
  return startMemoryService({
    isAllowed: bearer(fakeKey),
    routes: {
      "POST /v1/default/banks/:bank/memories": {
        required: { items: "array" },
        optional: { async: "boolean" },
        answer: ({ json }, [bank = ""]) => {
          for (const { content } of json["items"] as readonly Fields[]) {
            if (typeof content !== "string" || content === "") throw new Refused(422, { detail: "content: required" });
            kept.add(content, bank);
          }
          return { success: true, bank_id: bank, async: true };
        },
      },
      "POST /v1/default/banks/:bank/memories/recall": {
        required: { query: "string" },
        optional: { budget: "string", max_tokens: "number", types: "array" },
        answer: ({ json }, [bank = ""]) => {
          if (!["low", "mid", "high"].includes(String(json["budget"]))) throw new Refused(422, { detail: "budget" });
          return {
            results: kept.find(String(json["query"]), bank).map(({ id, text }) => ({ id, text, type: "world" })),
          };
        },
      },
      "POST /v1/default/banks/:bank/reflect": {
        required: { query: "string" },
        optional: { budget: "string" },
        answer: ({ json }, [bank = ""]) => ({
          text:
            kept
              .find(String(json["query"]), bank)
              .map(({ text }) => text)
              .join(" ") || "Nothing is known.",
        }),
      },
    },
  });
}

export function startRetainDb(kept = new Kept()): Promise<MemoryServiceFake> {
  const owner = (json: Fields) => `${String(json["project"])}/${String(json["user_id"])}`;
  const scope = { project: "string", user_id: "string" } as const;
  return startMemoryService({
    isAllowed: bearer(fakeKey),
    routes: {
      "POST /v1/memory/ingest/session": {
        required: { ...scope, session_id: "string", messages: "array" },
        answer: ({ json }) => {
          for (const { content } of json["messages"] as readonly Fields[]) kept.add(String(content), owner(json));
          return { accepted: true };
        },
      },
      "POST /v1/memory/search": {
        required: { ...scope, query: "string" },
        optional: { top_k: "number", session_id: "string" },
        answer: ({ json }) => ({
          memories: kept.find(String(json["query"]), owner(json)).map(({ id, text }) => ({ id, content: text })),
        }),
      },
      "POST /v1/context/query": {
        required: { ...scope, query: "string" },
        optional: { include_memories: "boolean", max_tokens: "number" },
        answer: ({ json }) => ({
          context: kept
            .find(String(json["query"]), owner(json))
            .map(({ text }) => text)
            .join("\n"),
        }),
      },
      "GET /v1/memory/profile/:user": {
        answer: ({ query }, [user = ""]) => ({
          memories: kept.all
            .filter((one) => one.owner === `${query.get("project") ?? ""}/${user}`)
            .map(({ id, text }) => ({ id, content: text })),
        }),
      },
      "POST /v1/memory": {
        required: { ...scope, content: "string", memory_type: "string" },
        optional: { session_id: "string" },
        answer: ({ json }) => ({ id: kept.add(String(json["content"]), owner(json)) }),
      },
      "DELETE /v1/memory/:id": {
        answer: (_call, [id]) => {
          if (kept.remove((one) => one.id === id) === undefined) throw new Refused(404, { message: "Not found" });
          return { deleted: true };
        },
      },
    },
  });
}
