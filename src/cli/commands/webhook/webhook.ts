import { randomBytes } from "node:crypto";
import { UserError } from "#foundation/errors";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { nonEmpty } from "#foundation/text/text";
import { routeName, type Subscription, Subscriptions, signatureOf } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, flagList, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { loadSettings } from "../../support/settings.ts";

/** `hermes webhook subscribe <name>`: a route that the running gateway serves from its next call on. */
export async function webhookSubscribe(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = argument(invocation, 0);
  if (!routeName.test(name))
    throw new UserError(`${name} cannot be the name of a route.`, {
      hint: "Use lower-case letters, digits, - and _; start with a letter or a digit.",
    });
  const { loaded } = await loadSettings(invocation);
  if (isRecordWith(loaded.config.platforms["webhook"]?.extra["routes"], name))
    throw new UserError(`config.yaml already has a route ${name}, and that one is used.`, {
      hint: "Choose another name, or change platforms.webhook.extra.routes.",
    });
  const subscription = subscriptionOf(invocation);
  await subscriptionsOf(invocation).add(name, subscription, invocation.io.signal);
  const url = addressOf(loaded.config.webhook, name);
  out.document({ name, url, secret: subscription.secret });
  out.line(`Route: ${url}`);
  out.line(`Secret: ${subscription.secret}`);
  out.line("It is shown only once. Callers sign the body with it (X-Webhook-Signature, or as GitHub and GitLab do).");
  if (loaded.config.platforms["webhook"]?.enabled !== true)
    out.line("Webhooks are off. Set WEBHOOK_ENABLED=true and restart the gateway.");
  return exitCodes.ok;
}

export async function webhookList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { loaded } = await loadSettings(invocation);
  const routes = [...(await subscriptionsOf(invocation).list())].map(([name, fields]) => ({
    name,
    url: addressOf(loaded.config.webhook, name),
    events: Array.isArray(fields["events"]) ? fields["events"].map(String) : [],
    deliver: nonEmpty(fields["deliver"]) ?? "log",
    description: nonEmpty(fields["description"]) ?? "",
  }));
  out.document({ subscriptions: routes });
  for (const { name, events, deliver, description } of routes)
    out.line(
      `${name}  ${events.length === 0 ? "all events" : events.join(", ")}  → ${deliver}  ${description}`.trimEnd(),
    );
  if (routes.length === 0) out.line("There are no subscriptions. Add one: hermes webhook subscribe <name>");
  return exitCodes.ok;
}

export async function webhookRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = argument(invocation, 0);
  const wasThere = await subscriptionsOf(invocation).remove(name, invocation.io.signal);
  out.document({ name, was_there: wasThere });
  out.line(wasThere ? `Removed: ${name}` : `There is no subscription ${name}.`);
  return wasThere ? exitCodes.ok : exitCodes.failed;
}

/** Calls the route of the running gateway as its caller would, signed. */
export async function webhookTest(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = argument(invocation, 0);
  const { loaded } = await loadSettings(invocation);
  const fields = (await subscriptionsOf(invocation).list()).get(name);
  const secret = nonEmpty(fields?.["secret"]);
  if (secret === undefined)
    throw new UserError(`There is no subscription ${name}.`, { hint: "See: hermes webhook list" });
  const body = flagText(invocation, "payload") ?? JSON.stringify({ event_type: "test", message: "Hello from Hermes." });
  await using client = new HttpClient({ proxy: false });
  const url = addressOf(loaded.config.webhook, name);
  const { signal } = invocation.io;
  const headers = { "content-type": "application/json", "x-webhook-signature": signatureOf(body, secret) };
  let answer: Response;
  try {
    answer = await fetchOver(client)(url, { method: "POST", body, headers, signal });
  } catch (cause) {
    throw new UserError(`Nothing is listening at ${url}.`, { hint: "Start the gateway: hermes gateway run", cause });
  }
  const text = (await answer.text()).slice(0, 2_000);
  out.document({ status: answer.status, answer: text });
  out.line(`${answer.status} ${text}`);
  return answer.ok ? exitCodes.ok : exitCodes.failed;
}

function subscriptionOf(invocation: Invocation): Subscription {
  const text = (name: string): string | undefined => flagText(invocation, name);
  const chat = text("deliver-chat-id");
  const events = flagList(invocation, "events");
  const skills = flagList(invocation, "skills");
  const deliversOnly = hasFlag(invocation, "deliver-only");
  const deliver = text("deliver");
  if (deliversOnly && (deliver ?? "log") === "log")
    throw new UserError("--deliver-only needs a delivery target.", { hint: "For example: --deliver telegram" });
  return {
    secret: text("secret") ?? randomBytes(32).toString("base64url"),
    description: text("description"),
    prompt: text("prompt"),
    deliver,
    ...(events.length > 0 ? { events } : {}),
    ...(skills.length > 0 ? { skills } : {}),
    ...(chat === undefined ? {} : { deliver_extra: { chat_id: chat } }),
    ...(deliversOnly ? { deliver_only: true } : {}),
  };
}

function subscriptionsOf(invocation: Invocation): Subscriptions {
  return new Subscriptions(homeOf(invocation).at("webhook_subscriptions.json"));
}

/** As it is reached from this machine. */
function addressOf({ host, port }: { readonly host: string; readonly port: number }, name: string): string {
  const here = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${here.includes(":") ? `[${here}]` : here}:${port}/webhooks/${name}`;
}

function isRecordWith(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value;
}
