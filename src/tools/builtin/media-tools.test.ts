import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import { FakeWebServer } from "../../../test/fakes/web-server/index.ts";
import type { Auxiliary, AuxiliaryAnswer, AuxiliaryRequest, MixtureRequest } from "../contract/auxiliary.ts";
import { ToolFailure } from "../contract/result.ts";
import { noAuxiliary } from "../contract/unattended-scope.ts";
import { fal } from "../media/fal.ts";
import { falModels } from "../media/fal-models.ts";
import { imageKind } from "../media/image-kind.ts";
import { proofOf, splitText } from "../media/speech/edge.ts";
import { createSafeFetch } from "../network/safe-fetch.ts";
import { runTool, testExits, testScope, toolContext } from "../testing.ts";
import { createImageGenerateTool } from "./image-generate.tool.ts";
import { createMixtureOfAgentsTool, type MixtureDeps } from "./mixture-of-agents.tool.ts";
import { createTextToSpeechTool, type TextToSpeechDeps } from "./text-to-speech.tool.ts";
import { createVisionAnalyzeTool, type VisionDeps } from "./vision-analyze.tool.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const fetch = createSafeFetch({ allowPrivate: true, sites: [], resolve: () => Promise.resolve(["127.0.0.1"]) });
const guardedFetch = createSafeFetch({ allowPrivate: false, sites: [], resolve: () => Promise.resolve(["127.0.0.1"]) });
const signal = new AbortController().signal;
let web: FakeWebServer;
let folder: string;

beforeAll(async () => {
  web = await FakeWebServer.start({ "/a.png": { body: png }, "/page": { body: "<html>no image</html>" } });
  folder = await mkdtemp(path.join(os.tmpdir(), "hermes-media-"));
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  web.seen.length = 0;
});

describe("vision_analyze", () => {
  const looks: AuxiliaryRequest[] = [];
  const see = async (
    args: Record<string, unknown>,
    answers: readonly AuxiliaryAnswer[],
    changes: Partial<VisionDeps> = {},
  ) => {
    looks.length = 0;
    const left = [...answers];
    const tool = createVisionAnalyzeTool({
      fetch,
      exits: testExits(),
      clock: new FakeClock(0, { autoAdvance: true }),
      readFile: async (file) => (file === "/pictures/a.png" ? png : Buffer.from("text")),
      ...changes,
    });
    const ask: Auxiliary["ask"] = (_task, request) => {
      looks.push(request);
      return Promise.resolve(left.shift() ?? { kind: "unavailable", reason: "no more answers" });
    };
    const scope = testScope({ auxiliary: { ...noAuxiliary, ask } });
    return (await runTool(tool, args, toolContext({ scope }))).content;
  };
  const says = (text: string): AuxiliaryAnswer => ({ kind: "text", text });

  it("[30:3.16] an image from the web or a file is sent with the question", async () => {
    expect(await see({ image_url: `${web.origin}/a.png`, question: "What?" }, [says("A cat")])).toEqual({
      success: true,
      analysis: "A cat",
    });
    expect(looks[0]).toMatchObject({ temperature: 0.1, maxTokens: 2000, prompt: expect.stringContaining("What?") });
    expect(looks[0]?.images).toEqual([`data:image/png;base64,${png.toString("base64")}`]);
    expect(await see({ image_url: "file:///pictures/a.png", question: "?" }, [says("ok")])).toMatchObject({
      success: true,
    });
    expect(await see({ image_url: "/pictures/a.png", question: "?" }, [says("ok")])).toMatchObject({ success: true });
  });

  it("[30:3.16] what is no image by its bytes is refused, whatever it is called", async () => {
    await expect(see({ image_url: `${web.origin}/page`, question: "?" }, [says("no")])).rejects.toThrow("not an image");
    await expect(see({ image_url: "/pictures/b.png", question: "?" }, [says("no")])).rejects.toThrow("not an image");
    expect(looks).toEqual([]);
  });

  it("[30:3.16] private addresses and addresses with credentials are refused before any request", async () => {
    await expect(see({ image_url: `${web.origin}/a.png`, question: "?" }, [], { fetch: guardedFetch })).rejects.toThrow(
      "private",
    );
    await expect(see({ image_url: "https://x.test/?k=sk-aaaaaaaaaaaaaaaa", question: "?" }, [])).rejects.toThrow(
      "credential",
    );
    expect(web.seen).toEqual([]);
  });

  it("[30:3.16] a failing download is tried three times, two and four seconds apart", async () => {
    const clock = new FakeClock(0, { autoAdvance: true });
    web.on("/flaky.png", () => (web.seen.length < 3 ? { status: 503 } : { body: png }));
    expect(await see({ image_url: `${web.origin}/flaky.png`, question: "?" }, [says("ok")], { clock })).toMatchObject({
      success: true,
    });
    expect(clock.slept).toEqual([2_000, 4_000]);
    await expect(see({ image_url: `${web.origin}/missing.png`, question: "?" }, [])).rejects.toThrow("404");
  });

  it("[30:3.16] an empty answer is asked for once more, and a size complaint shrinks once", async () => {
    expect(await see({ image_url: "/pictures/a.png", question: "?" }, [says(""), says("second")])).toMatchObject({
      analysis: "second",
    });
    const smaller = { bytes: png.subarray(0, 8), mime: "image/jpeg" };
    const tooLarge: AuxiliaryAnswer = { kind: "unavailable", reason: "image exceeds 5 MB maximum" };
    const answer = await see({ image_url: "/pictures/a.png", question: "?" }, [tooLarge, says("now")], {
      shrink: () => Promise.resolve(smaller),
    });
    expect(answer).toMatchObject({ success: true, analysis: "now" });
    expect(looks[1]?.images?.[0]).toMatch(/^data:image\/jpeg/);
  });

  it("[30:3.16] an image too large to send is refused politely when nothing can shrink it", async () => {
    const large = Buffer.concat([png, Buffer.alloc(16_000_000)]);
    const answer = await see({ image_url: "/x.png", question: "?" }, [], { readFile: () => Promise.resolve(large) });
    expect(answer).toMatchObject({ success: false, error: expect.stringContaining("16 MB") });
    expect(looks).toEqual([]);
  });

  it.each([
    ["HTTP 402: insufficient credits", "credit"],
    ["model does not support image input", "cannot see"],
    ["HTTP 400: invalid image", "rejected"],
    ["overloaded", "later"],
  ])("[30:3.16] %s is explained in friendly words", async (reason, word) => {
    const answer = await see({ image_url: "/pictures/a.png", question: "?" }, [{ kind: "unavailable", reason }]);
    expect(answer).toMatchObject({ success: false, error: reason, analysis: expect.stringContaining(word) });
  });

  it("[30:3.16] six kinds are recognised", () => {
    const kinds = [
      "GIF89a",
      "BM".padEnd(30, "x"),
      "RIFFxxxxWEBP",
      "\xff\xd8\xff\xe0",
      '<?xml version="1.0"?><svg xmlns="x">',
      "<html>",
    ];
    expect(kinds.map((text) => imageKind(Buffer.from(text, "latin1")))).toEqual([
      "image/gif",
      "image/bmp",
      "image/webp",
      "image/jpeg",
      "image/svg+xml",
      undefined,
    ]);
  });
});

describe("mixture_of_agents", () => {
  const completing = (complete: Auxiliary["complete"]) => testScope({ auxiliary: { ...noAuxiliary, complete } });
  const mix = async (
    complete: (request: MixtureRequest, call: number) => string | Error,
    options: MixtureDeps["options"] = {},
  ) => {
    const requests: MixtureRequest[] = [];
    const clock = new FakeClock(0, { autoAdvance: true });
    const tool = createMixtureOfAgentsTool({ clock, options });
    const scope = completing((request) => {
      requests.push(request);
      const answer = complete(request, requests.length);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ kind: "text", text: answer });
    });
    const { content } = await runTool(tool, { user_prompt: "Why?" }, toolContext({ scope }));
    return { content, requests, clock };
  };

  it("[30:3.22] four models answer and one merges, with the documented settings", async () => {
    const { content, requests } = await mix((request) =>
      request.hasDeepReasoning ? "Merged" : `From ${request.model}`,
    );
    expect(content).toEqual({
      success: true,
      response: "Merged",
      models_used: {
        reference_models: [
          "anthropic/claude-opus-4.6",
          "google/gemini-2.5-pro",
          "openai/gpt-5.4-pro",
          "deepseek/deepseek-v3.2",
        ],
        aggregator_model: "anthropic/claude-opus-4.6",
      },
    });
    expect(requests.map((request) => request.temperature)).toEqual([0.6, 0.6, 0.6, 0.6, 0.4]);
    expect(requests[4]?.prompt).toContain("From deepseek/deepseek-v3.2");
    expect(requests.every((request) => request.maxTokens === 32_000)).toBe(true);
  });

  it("[30:3.22] one good answer is enough; a failing model is tried six times with growing pauses", async () => {
    const { content, clock, requests } = await mix(
      (request) => (request.model === "bad" ? new Error("down") : "fine"),
      { referenceModels: ["bad", "good"] },
    );
    expect(content).toMatchObject({ success: true });
    expect(requests.filter((request) => request.model === "bad")).toHaveLength(6);
    expect(clock.slept).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
  });

  it("[30:3.22] what the answers may cost together holds: nothing is merged once it is spent", async () => {
    const asked: string[] = [];
    const tool = createMixtureOfAgentsTool({
      clock: new FakeClock(0, { autoAdvance: true }),
      options: { referenceModels: ["a", "b"], aggregatorModel: "c", maxUsd: 0.5 },
    });
    const scope = completing(({ model }) => {
      asked.push(model);
      return Promise.resolve({ kind: "text", text: model, usd: 0.3 });
    });
    const { content } = await runTool(tool, { user_prompt: "Why?" }, toolContext({ scope }));
    expect(asked).toEqual(["a", "b"]);
    expect(content).toMatchObject({ success: false, error: expect.stringContaining("moa.max_usd") });
  });

  it("[30:3.22] failure keeps models_used, and the budget of calls holds", async () => {
    const { content, requests } = await mix(() => new Error("down"), { maxCalls: 5 });
    expect(content).toMatchObject({
      success: false,
      models_used: { aggregator_model: "anthropic/claude-opus-4.6" },
      error: expect.stringContaining("down"),
    });
    expect(requests).toHaveLength(5);
  });
});

describe("image_generate", () => {
  const access = () => ({ origin: web.origin, token: new Secret("fal-key"), scheme: "Key" as const });
  const make = async (args: Record<string, unknown>, model?: string) => {
    const provider = fal({
      access: access(),
      clock: new FakeClock(0, { autoAdvance: true }),
      ...defined({ model }),
    });
    const tool = createImageGenerateTool({ providers: () => Promise.resolve([provider]), fetch, folder });
    return (await runTool(tool, args, toolContext())).content as Record<string, unknown>;
  };
  const serve = (model: string): void => {
    const app = model.split("/").slice(0, 2).join("/");
    let polls = 0;
    web.on(`POST /${model}`, { body: { request_id: "r1", status_url: "http://evil.test/status" } });
    web.on(`/${app}/requests/r1/status`, () => {
      polls += 1;
      return { body: { status: polls < 2 ? "IN_PROGRESS" : "COMPLETED" } };
    });
    web.on(`GET /${app}/requests/r1`, () => ({ body: { images: [{ url: `${web.origin}/a.png` }] } }));
  };

  it("[30:3.17] the default model is asked through its queue, and the image is kept as a file", async () => {
    serve("fal-ai/flux-2/klein/9b");
    const made = await make({ prompt: "A boat", aspect_ratio: "nonsense" });
    expect(made).toMatchObject({ success: true, image: `${web.origin}/a.png` });
    expect(await readFile(String(made["file_path"]))).toEqual(png);
    expect(web.seen[0]?.json).toEqual({
      prompt: "A boat",
      image_size: "landscape_16_9",
      num_inference_steps: 4,
      output_format: "png",
    });
    expect(web.seen[0]?.headers.authorization).toBe("Key fal-key");
  });

  it("[30:3.17] flux pro is enlarged afterwards, and the original is used when that fails", async () => {
    serve("fal-ai/flux-2-pro");
    expect(await make({ prompt: "x" }, "fal-ai/flux-2-pro")).toMatchObject({
      success: true,
      image: `${web.origin}/a.png`,
    });
    expect(web.seen.map((request) => request.url)).toContain("/fal-ai/clarity-upscaler");
  });

  it("[30:3.17] failures say of what kind they are", async () => {
    expect(await make({ prompt: "x" }, "fal-ai/unknown")).toMatchObject({
      success: false,
      image: null,
      error_type: "provider_contract",
    });
    web.on("POST /fal-ai/qwen-image", { status: 401, body: { detail: "bad key" } });
    expect(await make({ prompt: "x" }, "fal-ai/qwen-image")).toMatchObject({
      error_type: "provider_exception",
      error: "HTTP 401: bad key",
    });
    const none = createImageGenerateTool({ provider: "plug", providers: () => Promise.resolve([]), fetch, folder });
    expect((await runTool(none, { prompt: "x" }, toolContext())).content).toMatchObject({
      error_type: "provider_not_registered",
    });
    expect(await none.check?.(signal)).toMatchObject({ reason: expect.any(String) });
    const broken = { name: "plug", generate: () => Promise.resolve(undefined as never) };
    const odd = createImageGenerateTool({
      provider: "plug",
      providers: () => Promise.resolve([broken]),
      fetch,
      folder,
    });
    expect((await runTool(odd, { prompt: "x" }, toolContext())).content).toMatchObject({
      error_type: "provider_contract",
    });
  });

  it("[30:3.17] nine models, each with its own way of naming sizes", () => {
    expect(Object.keys(falModels)).toHaveLength(9);
    expect(falModels["fal-ai/nano-banana-pro"]?.sizes.portrait).toEqual({ aspect_ratio: "9:16" });
    expect(falModels["fal-ai/gpt-image-1.5"]?.sizes.landscape).toEqual({ image_size: "1536x1024" });
    expect(falModels["fal-ai/gpt-image-2"]?.sizes.landscape).toEqual({ image_size: "landscape_4_3" });
  });
});

describe("text_to_speech", () => {
  const speak = async (
    args: Record<string, unknown>,
    changes: Partial<TextToSpeechDeps["speech"]>,
    more: Partial<TextToSpeechDeps> & { surface?: string } = {},
  ) => {
    const { surface = "cli", ...deps } = more;
    const tool = createTextToSpeechTool({
      speech: { env: {}, clock: new FakeClock(1_700_000_000_000), ...changes },
      folder,
      writablePath: (supplied) => Promise.resolve(path.join(folder, supplied)),
      ...deps,
    });
    return (await runTool(tool, args, toolContext({ scope: testScope({ source: surface }) }))).content as Record<
      string,
      unknown
    >;
  };
  const openai = { provider: "openai", env: { VOICE_TOOLS_OPENAI_KEY: "k" } };

  it("the general key of OpenAI is not sent to another address", async () => {
    const general = { provider: "openai", env: { OPENAI_API_KEY: "k" }, settings: { openai: { baseUrl: web.origin } } };
    await expect(speak({ text: "Hello" }, general)).rejects.toThrow("openai needs VOICE_TOOLS_OPENAI_KEY");
    expect(web.seen).toEqual([]);
  });

  it("[30:3.18] speech is written to a file with a tag for the chat", async () => {
    web.on("/audio/speech", { body: "sound" });
    const said = await speak({ text: "Hello" }, { ...openai, settings: { openai: { baseUrl: web.origin } } });
    expect(said).toMatchObject({
      success: true,
      provider: "openai",
      voice_compatible: false,
      media_tag: `MEDIA:${said["file_path"]}`,
    });
    expect(await readFile(String(said["file_path"]), "utf8")).toBe("sound");
    expect(web.seen[0]?.json).toEqual({
      model: "gpt-4o-mini-tts",
      voice: "alloy",
      input: "Hello",
      response_format: "mp3",
    });
  });

  it("[30:3.18] the speed and further fields that the settings name are asked for", async () => {
    web.on("/audio/speech", { body: "sound" });
    const settings = { openai: { baseUrl: web.origin, speed: 1.5, options: { instructions: "softly" } } };
    await speak({ text: "Hello" }, { ...openai, settings });
    expect(web.seen[0]?.json).toMatchObject({ speed: 1.5, instructions: "softly", input: "Hello" });
  });

  it("[30:3.18] a name that gets another ending is judged again before it is written", async () => {
    web.on("/tts", { body: "mp3" });
    const xai = { provider: "xai", env: { XAI_API_KEY: "k" }, settings: { xai: { baseUrl: web.origin } } };
    const judged: string[] = [];
    const writablePath = (supplied: string) => {
      judged.push(path.basename(supplied));
      return supplied.endsWith(".mp3")
        ? Promise.reject(new ToolFailure("protected"))
        : Promise.resolve(path.join(folder, supplied));
    };
    await expect(speak({ text: "Hi", output_path: "voice.wav" }, xai, { writablePath })).rejects.toThrow("protected");
    expect(judged).toEqual(["voice.wav", "voice.mp3"]);
    expect(await readdir(folder)).not.toContain("voice.mp3");
  });

  it("[30:3.18] Telegram gets Opus, natively or converted, else what there is", async () => {
    web.on("/audio/speech", { body: "opus" });
    const native = await speak(
      { text: "Hi" },
      { ...openai, settings: { openai: { baseUrl: web.origin } } },
      { surface: "telegram" },
    );
    expect(native).toMatchObject({
      voice_compatible: true,
      media_tag: `[[audio_as_voice]]\nMEDIA:${native["file_path"]}`,
    });
    web.on("/tts", { body: "mp3" });
    const xai = { provider: "xai", env: { XAI_API_KEY: "k" }, settings: { xai: { baseUrl: web.origin } } };
    expect(
      await speak({ text: "Hi" }, xai, { surface: "telegram", toOpus: () => Promise.resolve(true) }),
    ).toMatchObject({
      voice_compatible: true,
      file_path: expect.stringMatching(/\.ogg$/),
    });
    expect(await speak({ text: "Hi" }, xai, { surface: "telegram" })).toMatchObject({
      voice_compatible: false,
      file_path: expect.stringMatching(/\.mp3$/),
    });
  });

  it("[30:3.18] long text is cut at the provider's limit and the result says so", async () => {
    web.on("/audio/speech", { body: "sound" });
    const settings = { openai: { baseUrl: web.origin } };
    expect(await speak({ text: "x".repeat(5_000) }, { ...openai, settings })).toMatchObject({ truncated: true });
    expect(web.seen[0]?.json).toMatchObject({ input: "x".repeat(4_096) });
  });

  it.each([
    ["elevenlabs", "ELEVENLABS_API_KEY", "/text-to-speech/pNInz6obpgDQGcFmaJgB", "audio"],
    ["minimax", "MINIMAX_API_KEY", "/t2a_v2", { data: { audio: "6162" } }],
    ["mistral", "MISTRAL_API_KEY", "/audio/speech", { audio_data: "YWI=" }],
    [
      "gemini",
      "GOOGLE_API_KEY",
      "/models/gemini-2.5-flash-preview-tts:generateContent",
      {
        candidates: [{ content: { parts: [{ inlineData: { data: "AAAA", mimeType: "audio/L16;rate=24000" } }] } }],
      },
    ],
  ])("[30:3.18] %s speaks with its key", async (provider, key, route, body) => {
    web.on(route, { body });
    const said = await speak(
      { text: "Hi" },
      { provider, env: { [key]: "k" }, settings: { [provider]: { baseUrl: web.origin } } },
    );
    expect(said).toMatchObject({ success: true, provider });
  });

  it("[30:3.18] a provider without key or an unknown one is unavailable with the reason", async () => {
    await expect(speak({ text: "x" }, { provider: "openai" })).rejects.toThrow("VOICE_TOOLS_OPENAI_KEY");
    await expect(speak({ text: "x" }, { provider: "toString" })).rejects.toThrow("not one of");
  });

  it("[30:3.18] the keyless default speaks over a socket, and long text in parts", async () => {
    const heard: string[] = [];
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    server.on("connection", (socket) => {
      socket.on("message", (data) => {
        const text = String(data);
        if (!text.includes("Path:ssml")) return;
        heard.push(text);
        const header = Buffer.from("Path:audio\r\n");
        const size = Buffer.alloc(2);
        size.writeUInt16BE(header.length);
        socket.send(Buffer.concat([size, header, Buffer.from("snd")]));
        socket.send("X-RequestId:1\r\nPath:turn.end\r\n\r\n{}");
      });
    });
    await new Promise<void>((resolve) => server.once("listening", () => resolve()));
    try {
      const baseUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/edge`;
      const said = await speak({ text: `${"Tom & Jerry <3 ".repeat(250)}end` }, { settings: { edge: { baseUrl } } });
      expect(said).toMatchObject({ success: true, provider: "edge" });
      expect(await readFile(String(said["file_path"]), "utf8")).toBe("sndsnd");
      expect(heard[0]).toContain("<voice name='en-US-AriaNeural'>Tom &amp; Jerry &lt;3");
      await speak({ text: "Slow" }, { settings: { edge: { baseUrl, speed: 0.75 } } });
      expect(heard.at(-1)).toContain("<prosody rate='-25%'>Slow</prosody>");
    } finally {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it("a server that closes without sound is a failure, not an empty file", async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    server.on("connection", (socket) => socket.close());
    await new Promise<void>((resolve) => server.once("listening", () => resolve()));
    try {
      const baseUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/edge`;
      await expect(speak({ text: "x" }, { settings: { edge: { baseUrl } } })).rejects.toThrow("closed the connection");
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it("the proof of time changes every five minutes, and parts never tear a word", () => {
    expect(proofOf(1_700_000_100_000)).toBe(proofOf(1_700_000_399_000));
    expect(proofOf(1_700_000_100_000)).not.toBe(proofOf(1_700_000_400_000));
    expect(splitText("aa bb cc dd", 6)).toEqual(["aa bb", "cc dd"]);
    expect(splitText("a".repeat(7), 3)).toEqual(["aaa", "aaa", "a"]);
  });
});
