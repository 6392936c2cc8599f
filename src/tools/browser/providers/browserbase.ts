import { never } from "#foundation/lifecycle/abort";
import type { Secret } from "#foundation/secrets/secret";
import { callService, type Environment, type ServiceAnswer, textField } from "../../web/service-call.ts";
import type { BrowserProvider, ProviderAnswer } from "./provider.ts";

export interface BrowserbaseOptions {
  readonly key: Secret;
  readonly projectId: string;
  readonly env: Environment;
  readonly origin?: string;
}

const paymentRequired = 402;

/** Features the plan does not include are dropped one after the other: first keep-alive, then proxies. */
export function browserbase(options: BrowserbaseOptions): BrowserProvider {
  const { key, projectId, env, origin = "https://api.browserbase.com" } = options;
  const headers = { "x-bb-api-key": key.reveal() };
  const isOn = (name: string, preset: boolean): boolean => {
    const value = env[name];
    return value === undefined || value === "" ? preset : /^(?:1|true|yes|on)$/i.test(value);
  };
  const timeout = Number(env["BROWSERBASE_SESSION_TIMEOUT"]);
  const stealth = isOn("BROWSERBASE_ADVANCED_STEALTH", false);
  const create = (request: { keepAlive: boolean; proxies: boolean }, signal: AbortSignal): Promise<ServiceAnswer> =>
    callService(`${origin}/v1/sessions`, {
      json: {
        projectId,
        ...(request.keepAlive ? { keepAlive: true } : {}),
        ...(request.proxies ? { proxies: true } : {}),
        ...(stealth ? { browserSettings: { advancedStealth: true } } : {}),
        // The setting is in milliseconds, the service counts in seconds.
        ...(timeout > 0 ? { timeout: Math.ceil(timeout / 1000) } : {}),
      },
      headers,
      timeoutMs: 30_000,
      signal,
    });
  return {
    name: "browserbase",
    async create(_taskId, signal): Promise<ProviderAnswer> {
      const request = { keepAlive: isOn("BROWSERBASE_KEEP_ALIVE", true), proxies: isOn("BROWSERBASE_PROXIES", true) };
      let answer = await create(request, signal);
      for (const feature of ["keepAlive", "proxies"] as const) {
        if (answer.kind === "ok" || answer.status !== paymentRequired || !request[feature]) continue;
        request[feature] = false;
        answer = await create(request, signal);
      }
      if (answer.kind === "failed") return answer;
      const id = textField(answer.value, "id");
      const cdpUrl = textField(answer.value, "connectUrl");
      if (id === "" || cdpUrl === "") return { kind: "failed", reason: "the service named no session" };
      const features = [
        "basic_stealth",
        ...(request.proxies ? ["proxies"] : []),
        ...(stealth ? ["advanced_stealth"] : []),
      ];
      const warning = request.proxies
        ? {}
        : { stealth_warning: "Running without proxies: sites may recognise the browser." };
      return {
        kind: "open",
        session: {
          cdpUrl,
          facts: { stealth_features: features, ...warning },
          release: async () => {
            const json = { projectId, status: "REQUEST_RELEASE" };
            await callService(`${origin}/v1/sessions/${id}`, { json, headers, timeoutMs: 10_000, signal: never });
          },
        },
      };
    },
  };
}
