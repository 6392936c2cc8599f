import OpenAI from "openai";
import type { Scope } from "#foundation/lifecycle/disposal";
import { startModelServer } from "../../fakes/model-server/index.ts";
import { Stage } from "./stage.ts";

/** The key of the owner. */
export const key = "a-key-of-the-owner";

export interface ApiStageOptions {
  readonly env?: Record<string, string>;
  /** Lines of `config.yaml`. */
  readonly more?: string;
}

/** The built program serving its HTTP API, with a fake model behind it; all of it ends with the scope. */
export async function openApi(scope: Scope, { env = { API_SERVER_KEY: key }, more = "" }: ApiStageOptions = {}) {
  const model = scope.adopt(await startModelServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    "auxiliary: { title_generation: { enabled: false } }",
    more,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config }));
  const child = home.start(["api", "--port", "0", "--json"], { env });
  const stderr: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /"url": "([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`it ended: ${stderr.join("")}`)));
  });
  const client = new OpenAI({ apiKey: env["API_SERVER_KEY"] ?? "none", baseURL: `${url}/v1`, maxRetries: 0 });
  const call = (path: string, init: RequestInit & { token?: string } = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${init.token ?? key}`, "content-type": "application/json", ...init.headers },
    });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(path, { method: "POST", body: JSON.stringify(body), headers });
  return { model, home, child, url, client, call, post };
}
