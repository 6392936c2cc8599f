import { type WebSocket, WebSocketServer } from "ws";
import { type FakeService, type Fields, Refused, startFakeService } from "./fake-service.ts";

export interface HomeAssistantServer extends Pick<FakeService, "nextSend" | "url"> {
  readonly token: string;
  /** A device changes; only who listens hears of it, and everybody can ask how things are. */
  change(entity: string, was: string, is: string): void;
  /** The last event is told once more. */
  repeat(): void;
  notifications(): ReadonlyMap<string, string>;
  dropSockets(): void;
  sockets(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Home Assistant's socket and services on loopback; refuses wrong tokens and unknown services. */
export async function startHomeAssistantServer(): Promise<HomeAssistantServer> {
  const token = "hass-fake-token-0001";
  const sockets = new Set<WebSocket>();
  const notifications = new Map<string, string>();
  const states = new Map<string, Fields>();
  let last: Fields | undefined;
  let count = 0;
  const service = await startFakeService({
    isSend: ({ path }) => path.startsWith("/api/services/"),
    limited: { status: 429, json: {}, headers: { "retry-after": "1" } },
    refused: { status: 400, json: { message: "bad" } },
    answer({ headers, path, json }) {
      if (headers.authorization !== `Bearer ${token}`) throw new Refused(401, {});
      if (path !== "/api/services/persistent_notification/create") throw new Refused(404, {});
      notifications.set(String(json["notification_id"]), String(json["message"]));
      return { json: [] };
    },
  });
  const gateway = new WebSocketServer({ server: service.server, path: "/api/websocket" });
  gateway.on("connection", (socket) => {
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data) => {
      const { type, id, access_token: sent } = JSON.parse(String(data)) as Fields;
      const write = (frame: Fields): void => socket.send(JSON.stringify(frame));
      if (type === "auth" && sent !== token) {
        write({ type: "auth_invalid", message: "Invalid access token or password" });
        return socket.close();
      }
      if (type === "auth") return write({ type: "auth_ok" });
      if (type === "get_states") return write({ id, type: "result", success: true, result: [...states.values()] });
      if (type !== "subscribe_events") return write({ id, type: "result", success: false });
      sockets.add(socket);
      write({ id, type: "result", success: true });
    });
    socket.send(JSON.stringify({ type: "auth_required" }));
  });
  const tell = (event: Fields): void => {
    for (const socket of sockets) socket.send(JSON.stringify({ id: 1, type: "event", event }));
  };
  return {
    ...service,
    token,
    change(entity, was, is) {
      count += 1;
      const context = { id: `c${count}` };
      const at = new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString();
      const state = { entity_id: entity, state: is, attributes: {}, context, last_changed: at };
      states.set(entity, state);
      const data = { entity_id: entity, old_state: { state: was }, new_state: state };
      last = { event_type: "state_changed", data, context, time_fired: at };
      tell(last);
    },
    repeat: () => void (last === undefined ? undefined : tell(last)),
    notifications: () => notifications,
    dropSockets() {
      for (const socket of sockets) socket.terminate();
      sockets.clear();
    },
    sockets: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of gateway.clients) socket.terminate();
      gateway.close();
      await service[Symbol.asyncDispose]();
    },
  };
}
