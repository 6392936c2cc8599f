import { createServer, type Server } from "node:http";
import path from "node:path";
import { describe } from "#foundation/errors";
import { Deferred } from "#foundation/lifecycle/deferred";
import { type Connection, ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import { Calls } from "./calls.ts";
import { comment, gitHubSettings, isPullRequest } from "./github.ts";
import { callHook } from "./outbound.ts";
import { outboundHooks, routeDefaults, routesOf } from "./routes.ts";
import { LiveRoutes } from "./subscriptions.ts";

const aliveEveryMs = 20_000;

/** Listens for calls, and calls others. The program's own socket is all there is to be connected with. */
export async function connectWebhook(ports: ConnectionPorts): Promise<Connection> {
  const { config, logger } = ports;
  const gitHub = gitHubSettings(config.platforms["webhook"]?.extra["github"]);
  const hasGitHub = gitHub !== undefined;
  const file = path.join(ports.folders.home, "webhook_subscriptions.json");
  const routes = new LiveRoutes({ fixed: routesOf(config), file, defaults: routeDefaults(config), logger });
  const calls = new Calls({ ports, routes, settings: config.webhook, hasGitHub });
  const hooks = outboundHooks(config);
  const lost = new Deferred<ConnectionError>();
  const server = createServer(async (request, response) => {
    const say = (status: number, body: unknown, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    if (request.method === "GET" && request.url === "/health") return say(200, { status: "ok", platform: "webhook" });
    try {
      const { status, body, retryAfterSeconds } = await calls.take(request);
      say(status, body, retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) });
    } catch (error) {
      logger.error("a call could not be taken in", { platform: "webhook", error: describe(error) });
      say(503, { error: "It could not be written down; call again." });
    }
  });
  await listen(server, config.webhook);
  server.on("error", (error) => lost.resolve(cannotListen(error)));
  const alive = setInterval(() => ports.alive(), aliveEveryMs);
  return {
    account: { id: "webhook", name: "webhook" },
    lost: lost.promise,
    async send(to, message, context) {
      if (message.kind === "media") return { kind: "failed", errorClass: "format", message: "webhooks take no files" };
      if (isPullRequest(to.chatId) && gitHub !== undefined)
        return await comment(gitHub, { chatId: to.chatId, text: message.body.plain }, { ...context, ports });
      const hook = hooks.get(to.chatId);
      if (hook !== undefined) return await callHook(hook, { to, text: message.body.plain }, { ...context, ports });
      if (!to.chatId.startsWith("webhook:"))
        return { kind: "failed", errorClass: "not-found", message: `no outbound webhook is named ${to.chatId}` };
      logger.info("the answer to a call", { chat: to.chatId, text: message.body.plain.slice(0, 2_000) });
      return { kind: "sent", messageId: undefined };
    },
    // The receiver knows our key: what it has had already it does not act upon again.
    reconcile: () => Promise.resolve({ kind: "not-sent" }),
    [Symbol.asyncDispose]: () => {
      clearInterval(alive);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(error)));
    server.listen(port, host, resolve);
  });
}

function cannotListen(error: Error): ConnectionError {
  const message = `Webhooks cannot be listened for: ${error.message}. Set another webhook.port.`;
  return new ConnectionError("webhook_port", message, { isRetryable: true, cause: error });
}
