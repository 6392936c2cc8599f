import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import type { SafeFetch } from "../network/safe-fetch.ts";
import type { WebBackend } from "./backend.ts";
import { brave } from "./backends/brave.ts";
import { builtInReader } from "./backends/built-in.ts";
import { ddg } from "./backends/ddg.ts";
import { exa } from "./backends/exa.ts";
import { firecrawl } from "./backends/firecrawl.ts";
import { parallel } from "./backends/parallel.ts";
import { searxng } from "./backends/searxng.ts";
import { tavily } from "./backends/tavily.ts";
import type { ManagedGateway } from "./managed-gateway.ts";
import type { ReadDocument } from "./reader/document.ts";
import type { Environment } from "./service-call.ts";

export interface WebOptions {
  /** `web.backend`; undefined or `auto` takes the first that is configured. */
  readonly backend?: string;
  /** `web.use_gateway` */
  readonly useGateway?: boolean;
  readonly env: Environment;
  readonly gateway?: ManagedGateway;
  readonly fetch: SafeFetch;
  /** Turns fetched documents into text, for the built-in reader. */
  readonly readDocument?: ReadDocument;
}

/** What searches and what reads; a search-only service is joined by the built-in reader. */
export interface WebChoice {
  readonly search?: WebBackend;
  readonly extract: WebBackend;
}

type Opener = (options: WebOptions, signal: AbortSignal) => Promise<WebBackend | undefined> | WebBackend | undefined;

/** In the order in which they are tried when none is named. */
const openers: Readonly<Record<string, Opener>> = {
  firecrawl: openFirecrawl,
  parallel: ({ env }) => {
    const key = secret(env["PARALLEL_API_KEY"]);
    const mode = env["PARALLEL_SEARCH_MODE"];
    return key && parallel({ key, ...input("origin", env["PARALLEL_BASE_URL"]), ...input("mode", mode) });
  },
  tavily: ({ env }) => {
    const key = secret(env["TAVILY_API_KEY"]);
    return key && tavily({ key, ...input("origin", env["TAVILY_BASE_URL"]) });
  },
  exa: ({ env }) => {
    const key = secret(env["EXA_API_KEY"]);
    return key && exa({ key, ...input("origin", env["EXA_BASE_URL"]) });
  },
  searxng: ({ env }) => {
    const origin = env["SEARXNG_URL"];
    return origin === undefined || origin === "" ? undefined : searxng({ origin });
  },
  brave: ({ env }) => {
    const key = secret(env["BRAVE_API_KEY"]);
    return key && brave({ key, ...input("origin", env["BRAVE_BASE_URL"]) });
  },
};

/** Needs no key, so it is the last resort and always there. */
const keyless = "ddg";

const webBackendNames: readonly string[] = [...Object.keys(openers), keyless];

/** The configured backend, or the first usable one. `missing` says which configured one cannot be used. */
export async function chooseWeb(
  options: WebOptions,
  signal: AbortSignal,
): Promise<
  { readonly kind: "ready"; readonly choice: WebChoice } | { readonly kind: "missing"; readonly reason: string }
> {
  const wanted = options.backend === undefined || options.backend === "auto" ? undefined : options.backend;
  const reader = builtInReader(options.fetch, options.readDocument ?? noReader);
  const ready = (backend: WebBackend) =>
    ({
      kind: "ready",
      choice: { search: backend, extract: backend.extract === undefined ? reader : backend },
    }) as const;
  if (wanted === keyless) return ready(ddg(input("origin", options.env["DDG_BASE_URL"])));
  if (wanted !== undefined) {
    const open = Object.hasOwn(openers, wanted) ? openers[wanted] : undefined;
    if (open === undefined)
      return { kind: "missing", reason: `web.backend "${wanted}" is not one of ${webBackendNames.join(", ")}` };
    const backend = await open(options, signal);
    return backend === undefined
      ? { kind: "missing", reason: `web.backend "${wanted}" has no key or address` }
      : ready(backend);
  }
  for (const open of Object.values(openers)) {
    const backend = await open(options, signal);
    if (backend !== undefined) return ready(backend);
  }
  return ready(ddg(input("origin", options.env["DDG_BASE_URL"])));
}

const noReader: ReadDocument = () =>
  Promise.resolve({ kind: "unreadable", reason: "no reader of documents was set up" });

async function openFirecrawl(options: WebOptions, signal: AbortSignal): Promise<WebBackend | undefined> {
  const { env, gateway, useGateway } = options;
  const own = env["FIRECRAWL_API_URL"];
  const key = secret(env["FIRECRAWL_API_KEY"]);
  const hasOwn = key !== undefined || (own !== undefined && own !== "");
  if (useGateway === true || !hasOwn) {
    const access = await gateway?.("firecrawl", signal);
    if (access !== undefined) return firecrawl({ origin: access.origin, key: access.token });
  }
  if (!hasOwn) return undefined;
  return firecrawl({
    origin: own !== undefined && own !== "" ? own : "https://api.firecrawl.dev",
    ...defined({ key }),
  });
}

function secret(value: string | undefined): Secret | undefined {
  return value === undefined || value.trim() === "" ? undefined : new Secret(value.trim());
}

function input<N extends string>(name: N, value: string | undefined): { readonly [K in N]?: string } {
  return (value === undefined || value === "" ? {} : { [name]: value }) as { readonly [K in N]?: string };
}
