import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import type { Auxiliary, AuxiliaryRequest } from "./contract/auxiliary.ts";
import { noAuxiliary } from "./contract/unattended-scope.ts";
import { toolStage } from "./testing/tool-stage.ts";

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A service on this machine; `answers` by path, and everything it was asked. */
async function service(answers: Readonly<Record<string, string | Buffer>>) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    asked.push({ path: pathname, authorization: request.headers.authorization, body: await bodyOf(request) });
    const answer = answers[pathname];
    response.writeHead(answer === undefined ? 404 : 200, {
      "content-type": pathname.endsWith(".html") ? "text/html" : "application/json",
    });
    response.end(answer ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    asked,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const page =
  "<html><head><title>News</title></head><body><article><h1>News</h1><p>The bridge is open again since this morning, the town hall said.</p></article></body></html>";
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("the web tools", () => {
  it("do not reach this machine or its network, unless the settings let them [30:5.9] [30:3.14]", async () => {
    await using site = await service({ "/news.html": page });
    await using stage = await toolStage();
    const urls = [`${site.origin}/news.html`];
    expect(await stage.call(await stage.open(), "web_extract", { urls })).toContain("private network or this machine");
    expect(site.asked).toEqual([]);
    await writeFile(stage.home.config, "security: {allow_private_urls: true}\n");
    expect(await stage.call(await stage.open(), "web_extract", { urls })).toContain("The bridge is open again");
  });

  it("take the service there is a key or an address for [30:3.14]", async () => {
    const hits = { results: [{ title: "T", url: "https://x.test/", content: "c" }] };
    await using engine = await service({ "/search": JSON.stringify(hits) });
    await using stage = await toolStage({ ".env": `SEARXNG_URL=${engine.origin}\n` });
    expect(await stage.call(await stage.open(), "web_search", { query: "q" })).toContain('"url":"https://x.test/"');
  });

  it("say what the named service lacks [30:3.14]", async () => {
    await using stage = await toolStage({ "config.yaml": "web: {backend: exa}\n" });
    const { unavailable } = await (await stage.open()).list({}, stage.scope(), never);
    expect(unavailable.find(({ name }) => name === "web_search")?.reason).toBe(
      'web.backend "exa" has no key or address',
    );
  });
});

describe("vision_analyze", () => {
  it("shows a file of the task to the side model, within the guard of paths [30:3.16] [30:5.10]", async () => {
    await using stage = await toolStage({ ".env": "X=1\n" });
    await writeFile(path.join(stage.cwd, "dot.png"), pixel);
    const requests: AuxiliaryRequest[] = [];
    const toolbox = await stage.open();
    const auxiliary: Auxiliary = {
      ...noAuxiliary,
      canSee: () => Promise.resolve(true),
      ask: (_task, request) => {
        requests.push(request);
        return Promise.resolve({ kind: "text", text: "one dot" });
      },
    };
    const look = (image_url: string) =>
      stage.as({ auxiliary })(toolbox, "vision_analyze", { image_url, question: "what?" });
    expect(await look("dot.png")).toContain("one dot");
    expect(requests[0]?.images?.[0]).toMatch(/^data:image\/png;base64,/);
    expect(await look("../.hermes/.env")).toContain("belongs to Hermes itself");
    expect(requests).toHaveLength(1);
  });

  it("is not offered where no model sees [30:3.16]", async () => {
    await using stage = await toolStage();
    const toolbox = await stage.open();
    const auxiliary = { ...noAuxiliary, canSee: () => Promise.resolve({ reason: "the model reads text only" }) };
    const { unavailable } = await toolbox.list({}, stage.scope({ auxiliary }), never);
    expect(unavailable.find(({ name }) => name === "vision_analyze")?.reason).toBe("the model reads text only");
  });
});

describe("services with keys", () => {
  it("speech comes from the named service, and is written only where files may be written [30:3.18]", async () => {
    await using voice = await service({ "/v1/audio/speech": Buffer.from("sound") });
    await using stage = await toolStage({
      "config.yaml": `tts: {provider: openai, openai: {base_url: "${voice.origin}/v1"}}\n`,
      ".env": "VOICE_TOOLS_OPENAI_KEY=voice-key-0123456789\n",
    });
    const toolbox = await stage.open();
    expect(await stage.call(toolbox, "text_to_speech", { text: "hi" })).toContain('"success":true');
    expect(voice.asked).toMatchObject([{ authorization: "Bearer voice-key-0123456789" }]);
    expect(JSON.parse(voice.asked[0]?.body ?? "{}")).toMatchObject({ voice: "alloy", model: "gpt-4o-mini-tts" });
    const refused = await stage.call(toolbox, "text_to_speech", { text: "hi", output_path: "/etc/hermes.mp3" });
    expect(refused).toContain("lies outside");
  });

  it("the house is asked at its address, with its token [30:3.21]", async () => {
    await using house = await service({ "/api/states": "[]" });
    const token = "HASS_TOKEN=house-token-0123\n";
    const ways: readonly Readonly<Record<string, string>>[] = [
      { ".env": `HASS_URL=${house.origin}\n${token}` },
      { ".env": token, "config.yaml": `homeassistant:\n  url: ${house.origin}\n` },
    ];
    for (const files of ways) {
      await using stage = await toolStage(files);
      await stage.call(await stage.open(), "ha_list_entities", {});
    }
    const call = { path: "/api/states", authorization: "Bearer house-token-0123" };
    expect(house.asked).toMatchObject([call, call]);
  });

  it("several models are asked where models can be asked by name [30:3.22]", async () => {
    await using stage = await toolStage({ "config.yaml": "moa: {reference_models: [a, b], aggregator_model: c}\n" });
    const asked: string[] = [];
    const toolbox = await stage.open();
    const auxiliary: Auxiliary = {
      ...noAuxiliary,
      complete: ({ model }) => {
        asked.push(model);
        return Promise.resolve({ kind: "text", text: `from ${model}` });
      },
    };
    expect(await stage.as({ auxiliary })(toolbox, "mixture_of_agents", { user_prompt: "why?" })).toContain("from c");
    expect(asked.sort()).toEqual(["a", "b", "c"]);
  });
});
