import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { freePort } from "../../fakes/free-port.ts";
import { metaSignature, startWhatsAppServer } from "../../fakes/platforms/whatsapp-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("whatsapp");

async function startKit() {
  const port = await freePort();
  const local = `http://127.0.0.1:${port}/whatsapp/webhook`;
  const server = await startWhatsAppServer(local);
  const env = {
    WHATSAPP_CLOUD_ACCESS_TOKEN: server.token,
    WHATSAPP_CLOUD_PHONE_NUMBER_ID: server.numberId,
    WHATSAPP_CLOUD_APP_SECRET: server.secret,
    WHATSAPP_CLOUD_VERIFY_TOKEN: "verify-me-0001",
    WHATSAPP_CLOUD_WEBHOOK_PORT: String(port),
  };
  return {
    server,
    local,
    env,
    wrongEnv: { ...env, WHATSAPP_CLOUD_ACCESS_TOKEN: "EAAwrong" },
    settings: { "whatsapp.base_url": server.url },
    chatId: "15551112222",
    say: (body: string) => server.message({ type: "text", text: { body } }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, filename: string) =>
      server.message({
        type: "document",
        document: { id: server.file(bytes), filename, mime_type: "application/pdf" },
      }),
    shown: () => server.sent().map((one) => String((one["text"] as { body?: string } | undefined)?.body ?? "[file]")),
    nextSend: server.nextSend,
    deliversEach: true,
    sends: server.sends,
    breakConnection: () => undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describePlatform(platform, startKit);

describe("calls of Meta", () => {
  it("that were missed and come again in any order are taken in the order in which they were written", async () => {
    await using kit = await startKit();
    const first = await connectedTo(platform, kit);
    await first[Symbol.asyncDispose]();
    for (const [body, timestamp] of [
      ["three", "1700000003"],
      ["one", "1700000001"],
      ["two", "1700000002"],
    ] as const)
      kit.server.message({ type: "text", text: { body }, timestamp });
    await using second = await connectedTo(platform, kit, first.ports.positions);
    const texts = () => second.ports.admitted.map(({ text }) => text);
    await expect.poll(texts, { timeout: 15_000 }).toEqual(["one", "two", "three"]);
    kit.say("four");
    await expect.poll(texts, { timeout: 15_000 }).toEqual(["one", "two", "three", "four"]);
  });

  it("are answered with the challenge when the word is right [40:A-WC-1]", async () => {
    await using kit = await startKit();
    await using _ = await connectedTo(platform, kit);
    const ask = async (word: string) =>
      await fetch(`${kit.local}?hub.mode=subscribe&hub.verify_token=${word}&hub.challenge=42`);
    expect(await (await ask("verify-me-0001")).text()).toBe("42");
    expect((await ask("other")).status).toBe(403);
  });

  it("count only as they were signed [40:A-WC-2]", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(platform, kit);
    const headers = { "x-hub-signature-256": metaSignature(kit.server.secret, '{"entry":[]}') };
    const post = async (body: string) => (await fetch(kit.local, { method: "POST", headers, body })).status;
    expect(await post('{"entry":[]}')).toBe(200);
    expect(await post('{"entry":[] }')).toBe(401);
    expect(at.ports.admitted).toEqual([]);
  });

  // The example in GitHub's guide to the same header.
  it("carry the signature of the published example", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(platform, {
      ...kit,
      env: { ...kit.env, WHATSAPP_CLOUD_APP_SECRET: "It's a Secret to Everybody" },
    });
    const headers = {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    };
    const post = async (body: string) => (await fetch(kit.local, { method: "POST", headers, body })).status;
    expect(await post("Hello, World!")).not.toBe(401);
    expect(await post("Hello, World?")).toBe(401);
    expect(at.ports.admitted).toEqual([]);
  });

  it("bring the button that was pressed", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(platform, kit);
    const interactive = { type: "button_reply", button_reply: { id: "a:1:0", title: "Allow once" } };
    kit.server.message({ type: "interactive", interactive, context: { id: "wamid.out1" } });
    await expect.poll(() => at.ports.presses.at(0)?.data).toBe("a:1:0");
  });
});

describe("questions and answers in WhatsApp", () => {
  const to = { platform: "whatsapp", account: "", chatId: "15551112222" };
  const button = (label: string) => ({ label, data: label });

  it("have three buttons; what counts for ever is written [40:A-WC-5]", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(platform, kit);
    const labels = ["Allow once", "Allow for this session", "Always allow", "Deny"];
    const body = { text: "Run it?", plain: "Run it?" };
    const message = { kind: "text", body, buttons: [labels.map(button)] } as const;
    expect(await at.connection.send(to, message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
    const shown = kit.server.sent()[0] as { interactive: { action: { buttons: { reply: { title: string } }[] } } };
    expect(shown.interactive.action.buttons.map(({ reply }) => reply.title)).toEqual([
      "Allow once",
      "Allow for this sess…",
      "Deny",
    ]);
  });

  it("after a day are a template, or fail with the reason [40:A-WC-6]", async () => {
    await using kit = await startKit();
    kit.server.closeWindow();
    const message = { kind: "text", body: { text: "Done.", plain: "Done." } } as const;
    await using bare = await connectedTo(platform, kit);
    const refused = await bare.connection.send(to, message, { key: "k", signal: never });
    expect(refused).toMatchObject({ kind: "failed", message: expect.stringContaining("outside_window") });
    await bare[Symbol.asyncDispose]();
    await using at = await connectedTo(platform, {
      ...kit,
      settings: { ...kit.settings, "whatsapp.template": "news:de" },
    });
    expect(await at.connection.send(to, message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
    expect(kit.server.sent()).toMatchObject([
      { type: "template", template: { name: "news", language: { code: "de" } } },
    ]);
  });
});
