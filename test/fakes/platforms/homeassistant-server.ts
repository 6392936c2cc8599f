import { type WebSocket, WebSocketServer } from "ws";
import { type FakeService, type Fields, Refused, startFakeService } from "./fake-service.ts";

export interface HomeAssistantServer extends Pick<FakeService, "nextSend" | "url"> {
  readonly token: string;
  change(entity: string, was: string, is: string): void;
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
      sockets.add(socket);
      write({ id, type: "result", success: true });
    });
    socket.send(JSON.stringify({ type: "auth_required" }));
  });
  return {
    ...service,
    token,
    change(entity, was, is) {
      count += 1;
      const data = { entity_id: entity, old_state: { state: was }, new_state: { state: is, attributes: {} } };
      const event = {
        event_type: "state_changed",
        data,
        context: { id: `c${count}` },
        time_fired: "2026-01-01T00:00:00Z",
      };
      for (const socket of sockets) socket.send(JSON.stringify({ id: 1, type: "event", event }));
    },
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
