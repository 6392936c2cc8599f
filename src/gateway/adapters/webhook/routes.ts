import type { Config } from "#config";
import { isRecord } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import { ConnectionError } from "../../platform/platform.ts";

/** Where calls come in, and what becomes of them. */
export interface WebhookRoute {
  readonly name: string;
  /** Events that count; empty takes all. */
  readonly events: readonly string[];
  /** Undefined: calls are not checked, which only a loopback address may do. */
  readonly secret: string | undefined;
  readonly prompt: string | undefined;
  /** What its sessions begin with. */
  readonly skills: readonly string[];
  /** `log`, or a delivery target. */
  readonly deliver: string;
  readonly deliverExtra: Readonly<Record<string, string>>;
  /** Delivered as it is, without a model. */
  readonly deliversOnly: boolean;
}

/** Where Hermes calls: the delivery target `webhook:<name>`. */
export interface OutboundHook {
  readonly url: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly allowsPrivate: boolean;
}

const unchecked = "INSECURE_NO_AUTH";
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** What routes have that say nothing of it themselves. */
export interface RouteDefaults {
  readonly secret: string | undefined;
  /** The address that is listened on. */
  readonly host: string;
}

export function routeDefaults({ platforms, webhook }: Pick<Config, "platforms" | "webhook">): RouteDefaults {
  return { secret: nonEmpty(platforms["webhook"]?.token.reveal() ?? ""), host: webhook.host };
}

/** The routes of the configuration; one that cannot be served safely refuses all of them, by name. */
export function routesOf(config: Pick<Config, "platforms" | "webhook">): readonly WebhookRoute[] {
  const defaults = routeDefaults(config);
  return entriesOf(config.platforms["webhook"]?.extra["routes"]).map(([name, fields]) =>
    routeOf(name, fields, defaults),
  );
}

/** Throws where the route cannot be served safely. */
export function routeOf(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  defaults: RouteDefaults,
): WebhookRoute {
  const secret = textOf(fields["secret"]) ?? defaults.secret;
  if (secret === undefined) throw refused(name, "it has no secret; set one, or WEBHOOK_SECRET for all routes");
  if (secret === unchecked && !loopback.has(defaults.host))
    throw refused(name, `${unchecked} is only taken while webhook.host is a loopback address`);
  const deliver = nonEmpty(fields["deliver"]) ?? "log";
  const deliversOnly = fields["deliver_only"] === true;
  if (deliversOnly && deliver === "log") throw refused(name, "deliver_only needs a place to deliver to");
  return {
    name,
    events: textsOf(fields["events"]),
    secret: secret === unchecked ? undefined : secret,
    prompt: nonEmpty(fields["prompt"]),
    skills: textsOf(fields["skills"]),
    deliver,
    deliverExtra: stringsOf(fields["deliver_extra"]),
    deliversOnly,
  };
}

export function outboundHooks({ platforms }: Pick<Config, "platforms">): ReadonlyMap<string, OutboundHook> {
  const hooks = entriesOf(platforms["webhook"]?.extra["outbound"]).flatMap(([name, fields]) => {
    const url = nonEmpty(fields["url"]);
    if (url === undefined) return [];
    const timeoutMs = Number(fields["timeout_seconds"] ?? 15) * 1000;
    const hook = {
      url,
      secret: textOf(fields["secret"]) ?? "",
      headers: stringsOf(fields["headers"]),
      timeoutMs: Number.isFinite(timeoutMs) && timeoutMs > 0 ? timeoutMs : 15_000,
      allowsPrivate: fields["allow_private"] === true,
    };
    return [[name, hook] as const];
  });
  return new Map(hooks);
}

function refused(route: string, why: string): ConnectionError {
  return new ConnectionError("webhook_settings", `The webhook route ${route} cannot be served: ${why}.`, {
    isRetryable: false,
  });
}

function entriesOf(value: unknown): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, fields]) => (isRecord(fields) ? [[name, fields] as const] : []));
}

/** Text, or a secret's: values named like credentials are secrets. */
function textOf(value: unknown): string | undefined {
  if (isRecord(value) && typeof value["reveal"] === "function") return nonEmpty(value["reveal"]());
  return nonEmpty(value);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      const text = typeof one === "number" ? String(one) : textOf(one);
      return text === undefined ? [] : [[key, text]];
    }),
  );
}
