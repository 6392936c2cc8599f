import { bearer, type Fields, Kept, type MemoryServiceFake, Refused, startMemoryService } from "./memory-service.ts";
import { fakeKey } from "./services.ts";

const idPattern = /^[A-Za-z0-9_-]{1,512}$/;

/** Honcho's third API: workspaces, peers and sessions are made before they are used; messages come from peers, at most 100 of 25,000 characters. */
export function startHoncho(kept = new Kept()): Promise<MemoryServiceFake> {
  const made = new Set<string>();
  const make = (path: string, json: Fields): Fields => {
    const id = String(json["id"]);
    if (!idPattern.test(id)) throw new Refused(422, { detail: "id: String should match pattern" });
    made.add(`${path}/${id}`);
    return { id, metadata: {} };
  };
  const need = (path: string): void => {
    if (!made.has(path)) throw new Refused(404, { detail: `${path} does not exist` });
  };
  const peer = "/v3/workspaces/:workspace/peers/:peer";
  const known = (workspace = "", name = "") => {
    need(`/peers/${workspace}/${name}`);
    return kept.all.filter(({ owner }) => owner === name).map(({ text }) => text);
  };
  return startMemoryService({
    isAllowed: bearer(fakeKey),
    routes: {
      "POST /v3/workspaces": {
        required: { id: "string" },
        optional: { metadata: "object" },
        answer: ({ json }) => make("/workspaces", json),
      },
      "POST /v3/workspaces/:workspace/peers": {
        required: { id: "string" },
        optional: { metadata: "object", configuration: "object" },
        answer: ({ json }, [workspace = ""]) => {
          need(`/workspaces/${workspace}`);
          return make(`/peers/${workspace}`, json);
        },
      },
      "POST /v3/workspaces/:workspace/sessions": {
        required: { id: "string" },
        optional: { peers: "object", metadata: "object" },
        answer: ({ json }, [workspace = ""]) => {
          need(`/workspaces/${workspace}`);
          for (const name of Object.keys((json["peers"] ?? {}) as Fields)) need(`/peers/${workspace}/${name}`);
          return make(`/sessions/${workspace}`, json);
        },
      },
      "POST /v3/workspaces/:workspace/sessions/:session/messages": {
        required: { messages: "array" },
        answer: ({ json }, [workspace = "", session = ""]) => {
          need(`/sessions/${workspace}/${session}`);
          const messages = json["messages"] as readonly Fields[];
          if (messages.length === 0 || messages.length > 100) throw new Refused(422, { detail: "messages: 1 to 100" });
          return messages.map(({ peer_id, content }) => {
            if (typeof content !== "string" || content.length > 25_000) throw new Refused(422, { detail: "content" });
            need(`/peers/${workspace}/${String(peer_id)}`);
            return { id: kept.add(content, String(peer_id)), content, peer_id };
          });
        },
      },
      "POST /v3/workspaces/:workspace/conclusions": {
        required: { conclusions: "array" },
        answer: ({ json }, [workspace = ""]) =>
          (json["conclusions"] as readonly Fields[]).map(({ content, observer_id, observed_id }) => {
            if (typeof content !== "string" || content === "") throw new Refused(422, { detail: "content" });
            for (const name of [observer_id, observed_id]) need(`/peers/${workspace}/${String(name)}`);
            return { id: kept.add(content, String(observed_id)), content };
          }),
      },
      "DELETE /v3/workspaces/:workspace/conclusions/:id": {
        answer: (_call, [, id]) => {
          if (kept.remove((one) => one.id === id) === undefined) throw new Refused(404, { detail: "Not found" });
          return undefined;
        },
      },
      [`GET ${peer}/card`]: { answer: (_call, [workspace, name]) => ({ peer_card: known(workspace, name) }) },
      [`GET ${peer}/context`]: {
        answer: ({ query }, [workspace, name = ""]) => {
          known(workspace, name);
          const found = kept.find(query.get("search_query") ?? "", name).map(({ text }) => text);
          return { peer_id: name, target_id: name, representation: found.join("\n"), peer_card: [] };
        },
      },
      [`POST ${peer}/search`]: {
        required: { query: "string" },
        optional: { limit: "number", filters: "object" },
        answer: ({ json }, [workspace, name = ""]) => {
          known(workspace, name);
          return kept.find(String(json["query"]), name).map(({ id, text }) => ({ id, content: text, session_id: "s" }));
        },
      },
      [`POST ${peer}/chat`]: {
        required: { query: "string" },
        optional: { stream: "boolean", session_id: "string", target: "string" },
        answer: (_call, [workspace, name]) => ({ content: known(workspace, name).join(" ") || "Nothing is known." }),
      },
    },
  });
}
