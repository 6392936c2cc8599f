import { describe, expect, it } from "vitest";
import {
  applyAnswers,
  type ConfigSchema,
  missingVariables,
  questionsFor,
  readConfigSchema,
  setupKind,
} from "./config-schema.ts";

const schema: ConfigSchema = [
  { key: "mode", description: "Where it runs", choices: ["cloud", "local"], default: "cloud", required: true },
  {
    key: "api_key",
    description: "Key",
    secret: true,
    required: true,
    envVar: "DEMO_API_KEY",
    url: "https://example.org/keys",
    when: { mode: "cloud" },
  },
  {
    key: "url",
    description: "Address",
    defaultFrom: { field: "mode", map: { cloud: "https://example.org", local: "http://127.0.0.1:1" } },
    default: "?",
  },
];

describe("the questions of a provider", () => {
  it("are those that apply to the answers so far, in order [10:PROV-5]", () => {
    expect(questionsFor(schema, {}).map(({ key }) => key)).toEqual(["mode", "url"]);
    expect(questionsFor(schema, { mode: "cloud" })).toEqual([
      { key: "api_key", kind: "secret", prompt: "Key", isRequired: true, url: "https://example.org/keys" },
      { key: "url", kind: "text", prompt: "Address", isRequired: false, default: "https://example.org" },
    ]);
    expect(questionsFor(schema, { mode: "local" }).map(({ default: value }) => value)).toEqual(["http://127.0.0.1:1"]);
  });

  it("show of a secret that exists its last four characters at most [10:PROV-6]", () => {
    const existing = (secret: string) => questionsFor(schema, { mode: "cloud" }, { DEMO_API_KEY: secret })[0]?.existing;
    expect(existing("sk-0123456789abcd")).toBe("…abcd");
    expect(existing("short")).toBe("…");
    expect(existing("")).toBeUndefined();
  });

  it("say how much there is to set up [10:PROV-6]", () => {
    const secret = { key: "k", description: "", secret: true };
    expect([
      setupKind([]),
      setupKind([{ key: "a", description: "" }]),
      setupKind([{ ...secret, required: true }]),
      setupKind([secret]),
    ]).toEqual(["no setup needed", "local", "requires API key", "API key / local"]);
  });
});

describe("the answers", () => {
  it("are parted: secrets to the environment, the rest to the provider [10:A7.7]", () => {
    expect(applyAnswers(schema, { mode: "cloud", api_key: "sk-1", url: "" })).toEqual({
      environment: { DEMO_API_KEY: "sk-1" },
      values: { mode: "cloud", url: "https://example.org" },
      problems: [],
    });
  });

  it("keep a secret that exists when it is left blank, and miss one that does not [10:PROV-6]", () => {
    const answers = { mode: "cloud", api_key: "" };
    expect(applyAnswers(schema, answers, { environment: { DEMO_API_KEY: "sk-1" } })).toMatchObject({
      environment: {},
      problems: [],
    });
    expect(applyAnswers(schema, answers).problems).toEqual(["api_key is required."]);
  });

  it("must be among the choices, and count only where they apply", () => {
    expect(applyAnswers(schema, { mode: "moon" }).problems).toEqual(["mode must be one of cloud, local."]);
    expect(applyAnswers(schema, { mode: "local", api_key: "sk-1" })).toMatchObject({ environment: {}, problems: [] });
  });

  it("all go to the environment when the provider keeps no file [10:7.2]", () => {
    const env: ConfigSchema = [{ key: "endpoint", description: "", envVar: "DEMO_ENDPOINT" }];
    expect(applyAnswers(env, { endpoint: "x" }, { hasSaveConfig: false })).toMatchObject({
      environment: { DEMO_ENDPOINT: "x" },
      values: {},
    });
  });
});

describe("a schema from a plugin", () => {
  it("may write its names with underscores, and what makes no sense is left out [10:PROV-5]", () => {
    const input = [
      { key: "k", secret: true, required: true, env_var: "K", default_from: { field: "m", map: { a: 1 } } },
      { description: "no key" },
      "x",
    ];
    expect(readConfigSchema(input)).toEqual([
      {
        key: "k",
        description: "k",
        secret: true,
        required: true,
        envVar: "K",
        defaultFrom: { field: "m", map: { a: "1" } },
      },
    ]);
    expect(readConfigSchema("nonsense")).toEqual([]);
    expect(missingVariables(readConfigSchema(input), {})).toEqual(["K"]);
    expect(missingVariables(readConfigSchema(input), { K: "x" })).toEqual([]);
  });
});
