import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import lock from "../../src/gateway/adapters/whatsapp/device/packages.json" with { type: "json" };
import { freePort } from "../fakes/free-port.ts";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { Stage } from "./support/stage.ts";

interface Sent {
  readonly chat: string;
  readonly content: { readonly text?: string };
  readonly id: string;
}

/** What the package of the fake speaks with. */
async function startWhatsApp() {
  const sent: Sent[] = [];
  const streams = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    if (request.url === "/events") {
      response.writeHead(200).flushHeaders();
      streams.add(response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    sent.push(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Sent);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    connections: () => streams.size,
    emit(event: string, data: object, user?: object) {
      for (const stream of streams) stream.write(`${JSON.stringify({ event, data, user })}\n`);
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Puts packages into the home as if they had been installed there. */
async function placePackages(home: string): Promise<void> {
  const folder = path.join(home, "packages", `whatsapp-${lock.wanted.baileys}`, "node_modules");
  const fake = fileURLToPath(new URL("../fakes/baileys/index.mjs", import.meta.url));
  await mkdir(path.join(folder, "baileys", "lib"), { recursive: true });
  await writeFile(path.join(folder, "baileys", "package.json"), '{"type":"module"}');
  await cp(fake, path.join(folder, "baileys", "lib", "index.js"));
  await mkdir(path.join(folder, "qrcode-terminal", "lib"), { recursive: true });
  await writeFile(path.join(folder, "qrcode-terminal", "package.json"), "{}");
  const draw = "module.exports = { generate: (text, options, done) => done('▄▀ ' + text + ' ▀▄') };";
  await writeFile(path.join(folder, "qrcode-terminal", "lib", "main.js"), draw);
}

it("`hermes whatsapp` shows the code, links the device, and the gateway answers through it [40:ADP-1]", {
  timeout: 120_000,
}, async () => {
  await using scope = new Scope();
  const model = scope.adopt(await startModelServer());
  const whatsapp = scope.adopt(await startWhatsApp());
  const bridgeUrl = `http://127.0.0.1:${await freePort()}`;
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `whatsapp: { backend: bridge, bridge_url: "${bridgeUrl}", allowed_users: ["4915100000001"] }`,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config }));
  await placePackages(home.home);
  const bridge = home.start(["whatsapp"], { env: { FAKE_WHATSAPP_URL: whatsapp.url } });
  let screen = "";
  bridge.stdout?.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
  });
  const limit = { timeout: 60_000 };
  await expect.poll(() => whatsapp.connections(), limit).toBe(1);
  whatsapp.emit("connection.update", { qr: "2@code" });
  await expect.poll(() => screen, limit).toContain("▄▀ 2@code ▀▄");
  expect(screen).toContain("WhatsApp may block the account");
  // The gateway finds the word that opens the bridge where the bridge put it.
  const [, token = ""] =
    /WHATSAPP_BRIDGE_TOKEN=(\S+)/u.exec(await readFile(path.join(home.home, ".env"), "utf8")) ?? [];
  expect(token.length).toBeGreaterThan(30);
  const user = { id: "4915100000001:7@s.whatsapp.net", lid: "99900011:7@lid", name: "Owner" };
  whatsapp.emit("connection.update", { connection: "open" }, user);
  await expect.poll(() => screen, limit).toContain("WhatsApp is linked as Owner.");
  model.script(says("Hello **owner**."));
  home.start(["gateway", "run"]);
  const own = "4915100000001@s.whatsapp.net";
  const message = { key: { remoteJid: own, fromMe: true, id: "IN1" }, message: { conversation: "hi" } };
  whatsapp.emit("messages.upsert", { type: "notify", messages: [{ ...message, messageTimestamp: 1_700_000_000 }] });
  await expect
    .poll(() => whatsapp.sent.map(({ chat, content }) => [chat, content.text]), limit)
    .toContainEqual([own, "*Hermes*\nHello *owner*."]);
  expect(((await stat(path.join(home.home, "platforms", "whatsapp", "session"))).mode & 0o777).toString(8)).toBe("700");
  expect(screen).not.toContain(token);
});
