import { httpRequest } from "#foundation/http/request";
import { plural } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import { fetchModels, type Target, usableProviders } from "#model";
import { localTime } from "../../output/times.ts";
import type { Check, Examine, Patient } from "./check.ts";

const mostSkewMs = 300_000;

/** Logins, the model in use, and whether providers can be reached. */
export const examineAccounts: Examine = async (patient) => [
  ...(await logins(patient)),
  ...(await chosenModel(patient)),
  ...(patient.isOffline ? [] : await connectivity(patient)),
];

async function logins({ invocation, parts }: Patient): Promise<readonly Check[]> {
  const { signal } = invocation.io;
  const checks: Check[] = [];
  for (const [provider, flow] of parts.models.context.flows) {
    const status = await flow.status(signal);
    if (status.kind === "logged-out") continue;
    const { expiresAtMs, account } = status;
    const until = expiresAtMs === undefined ? "" : `until ${localTime(expiresAtMs)}`;
    checks.push({
      section: "Logins",
      name: provider,
      state: "ok",
      detail: [account, until].filter(Boolean).join(", "),
    });
  }
  return checks;
}

async function chosenModel({ invocation, parts }: Patient): Promise<readonly Check[]> {
  const resolution = await parts.models.resolve({}, invocation.io.signal);
  const section = "Model";
  if (resolution.kind === "failure")
    return [
      {
        section,
        name: "model",
        // Nothing chosen yet is a newcomer, not a fault: the demo model answers.
        state: resolution.code === "no_provider_configured" ? "warning" : "failed",
        detail: resolution.message,
        hint: resolution.hint,
      },
    ];
  const { target, notices } = resolution;
  return [
    { section, name: `${target.provider}: ${target.model}`, state: "ok", detail: keyWords(target.credential.source) },
    ...notices.map((detail): Check => ({ section, name: "notice", state: "warning", detail })),
    ...windowCheck(target, parts.loaded.config.model.allow_small_context),
  ];
}

function keyWords(source: string): string {
  return source === "none" ? "without a key" : `key from ${source}`;
}

function windowCheck(target: Target, allowSmall: boolean): readonly Check[] {
  const { contextWindow } = target.limits;
  if (contextWindow >= 64_000 || allowSmall) return [];
  return [
    {
      section: "Model",
      name: "context window",
      state: "warning",
      detail: `${contextWindow} tokens is small for an agent`,
      hint: "Choose a model with 64,000 or more, or accept it: hermes config set model.allow_small_context true",
    },
  ];
}

async function connectivity({ invocation, parts }: Patient): Promise<readonly Check[]> {
  const { signal } = invocation.io;
  const { models } = parts;
  const checks: Check[] = [];
  for (const { profile } of await usableProviders(models.context, signal)) {
    const resolution = await models.resolve({ provider: profile.id }, signal);
    if (resolution.kind === "failure") continue;
    const { target } = resolution;
    const list = await fetchModels(
      { source: profile.models, baseUrl: target.baseUrl, credential: target.credential, timeoutMs: 8_000 },
      signal,
    );
    const section = "Connections";
    if (list.kind === "failure") {
      checks.push({
        section,
        name: profile.label,
        state: "failed",
        detail: list.message,
        hint: `Test it: hermes model test ${profile.id}:${target.model}`,
      });
      continue;
    }
    checks.push({ section, name: profile.label, state: "ok", detail: plural(list.models.length, "model") });
    const isChosen = parts.loaded.config.model.default === target.model;
    if (isChosen) checks.push(...offerCheck(target, list.models, profile.label));
    checks.push(...(await clockCheck(target.baseUrl, signal)));
  }
  checks.push(...(await ownEndpoint({ invocation, parts })));
  return checks.filter((check, index) => checks.findIndex((one) => one.name === check.name) === index);
}

function offerCheck(target: Target, models: readonly { readonly id: string }[], label: string): readonly Check[] {
  if (models.length === 0 || models.some(({ id }) => id === target.model)) return [];
  return [
    {
      section: "Connections",
      name: target.model,
      state: "warning",
      detail: `is not in the list of ${label}`,
      hint: `See the list: hermes model list --provider ${target.provider}`,
    },
  ];
}

/** The model in use may be at a server of the person's own, which is on no list of providers. */
async function ownEndpoint({ invocation, parts }: Pick<Patient, "invocation" | "parts">): Promise<readonly Check[]> {
  const { signal } = invocation.io;
  const resolution = await parts.models.resolve({}, signal);
  if (resolution.kind === "failure" || !/^custom(:|$)/.test(resolution.target.provider)) return [];
  const { baseUrl, headers, query, credential, providerLabel } = resolution.target;
  const list = await fetchModels(
    { source: { path: "/models" }, baseUrl, headers, query, credential, timeoutMs: 8_000 },
    signal,
  );
  const check = { section: "Connections", name: `${providerLabel} (${new URL(baseUrl).host})` };
  if (list.kind === "models")
    return [
      { ...check, state: "ok", detail: plural(list.models.length, "model") },
      ...offerCheck(resolution.target, list.models, providerLabel),
      ...(await clockCheck(baseUrl, signal)),
    ];
  // Many small servers list nothing; that somebody answers is what counts.
  const isThere = list.status !== undefined && ![401, 403].includes(list.status) && list.status < 500;
  if (isThere) return [{ ...check, state: "ok", detail: `answers, without a list of models (${list.message})` }];
  return [{ ...check, state: "failed", detail: list.message, hint: "Test it: hermes model test" }];
}

/** Signatures and expiry times fail in strange ways when the clock is wrong. */
async function clockCheck(baseUrl: string, signal: AbortSignal): Promise<readonly Check[]> {
  const response = await httpRequest(new URL(baseUrl).origin, {
    method: "HEAD",
    signal,
    timeoutMs: 5_000,
    maxBodyBytes: 65_536,
    redirect: "error",
  });
  if (response.kind === "failure") return [];
  await using answer = response;
  const date = Date.parse(answer.headers["date"] ?? "");
  if (Number.isNaN(date)) return [];
  const skewMs = Math.abs(systemClock.now() - date);
  if (skewMs < mostSkewMs) return [];
  return [
    {
      section: "Connections",
      name: "clock",
      state: "warning",
      detail: `differs by ${Math.round(skewMs / 60_000)} minutes from ${new URL(baseUrl).host}`,
      hint: "Set the clock of this machine.",
    },
  ];
}
