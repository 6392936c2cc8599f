import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { json, startModelServer } from "../../../../test/fakes/model-server/index.ts";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true });
});
afterEach(() => location.remove());

async function listed(provider: string, config: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  writeFileSync(path.join(location.home, "config.yaml"), config);
  const run = await runCli(["model", "list", "--provider", provider, "--json"], { home: location.home, env });
  if (run.code !== 0) throw new Error(run.stdout + run.stderr);
  return (JSON.parse(run.stdout) as { models: { model: string }[] }).models.map(({ model }) => model);
}

it("the models of a Bedrock account are found, of the makers that are wanted, unless nobody wants to know [20:R1.65]", async () => {
  await using server = await startModelServer();
  const model = (modelId: string) => ({ modelId, outputModalities: ["TEXT"], inferenceTypesSupported: ["ON_DEMAND"] });
  server.serve("GET /inference-profiles", json(200, { inferenceProfileSummaries: [] }));
  server.serve("GET /foundation-models", json(200, { modelSummaries: [model("amazon.fresh"), model("other.fresh")] }));
  const env = { AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-0123456789", BEDROCK_BASE_URL: server.url };
  expect(await listed("bedrock", "bedrock: {discovery: {enabled: false}}\n", env)).not.toContain("amazon.fresh");
  expect(server.probes).toHaveLength(0);
  const found = await listed("bedrock", "bedrock: {discovery: {provider_filter: [amazon]}}\n", env);
  expect(found).toContain("amazon.fresh");
  expect(found).not.toContain("other.fresh");
});

it("a provider may have a list of recommended models of its own [20:R2.15]", async () => {
  await using server = await startModelServer();
  const list = (model: string) => json(200, { providers: { openrouter: { models: [model] } } });
  server.serve("GET /all.json", list("x/general"));
  server.serve("GET /own.json", list("x/special"));
  const env = { OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef", OPENROUTER_BASE_URL: "http://127.0.0.1:9/v1" };
  const catalog = `model_catalog:\n  url: ${server.url}/all.json\n`;
  expect((await listed("openrouter", catalog, env))[0]).toBe("x/general");
  const own = `${catalog}  providers:\n    openrouter: ${server.url}/own.json\n`;
  const names = await listed("openrouter", own, env);
  expect(names[0]).toBe("x/special");
  expect(names).not.toContain("x/general");
});
