import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { rateLimited, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { type CreateHermesOptions, createHermes } from "./library.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-library-"));
  await mkdir(path.join(folder, "home"));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = (options: CreateHermesOptions) =>
  createHermes({ home: path.join(folder, "home"), cwd: folder, env: { HOME: folder }, ...options });

it("takes endpoint, key, limits, tools and the rest from the program that opens it [10:LOOP-3]", async () => {
  await using server = await startModelServer();
  server.otherwise(says("Hi."));
  await writeFile(path.join(folder, "AGENTS.md"), "Speak of walnuts.");
  await writeFile(path.join(folder, "home", "config.yaml"), "model:\n  provider: openrouter\n  default: x/y\n");
  await using hermes = await open({
    baseUrl: server.chatBaseUrl,
    apiKey: "program-key-0123",
    model: "fake-model",
    disabledToolsets: ["terminal", "browser", "web"],
    systemMessage: "You count pears.",
    ignoreRules: true,
    passSessionId: true,
    saveTrajectories: true,
    maxSteps: 3,
    settings: {
      "model.max_tokens": 77,
      "agent.reasoning_effort": "none",
      "auxiliary.title_generation.provider": "zai",
    },
  });
  expect(await hermes.chat("hello")).toBe("Hi.");
  const [request] = server.requests;
  expect(request?.headers["authorization"]).toBe("Bearer program-key-0123");
  expect(request?.body).toMatchObject({ model: "fake-model", max_tokens: 77 });
  expect(request?.toolNames).toContain("read_file");
  expect(request?.toolNames).not.toContain("terminal");
  expect(request?.systemText).toContain("You count pears.");
  expect(request?.systemText).toContain(hermes.info.id);
  expect(request?.systemText).not.toContain("walnuts");
  // Nobody waits for the file after a turn; whoever closes the library does.
  await hermes[Symbol.asyncDispose]();
  expect(await readFile(path.join(folder, "trajectory_samples.jsonl"), "utf8")).toContain("hello");
});

it("goes to the models the program names when its own fails [10:LOOP-3] [20:R5.1]", async () => {
  await using first = await startModelServer();
  await using second = await startModelServer({ models: [{ id: "second-model" }] });
  first.otherwise(rateLimited({ retryAfterMs: 60_000 }));
  second.otherwise(says("From the second."));
  await using hermes = await open({
    baseUrl: first.chatBaseUrl,
    model: "fake-model",
    isIncognito: true,
    settings: {
      fallback_providers: [{ provider: "custom", base_url: second.chatBaseUrl, model: "second-model" }],
      "auxiliary.title_generation.provider": "zai",
    },
  });
  expect(await hermes.runConversation({ message: "hello" })).toMatchObject({
    text: "From the second.",
    fallbackUsed: true,
    model: "second-model",
  });
});
