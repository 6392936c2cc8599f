import { ask, textIn } from "#foundation/http/ask";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { LoginSlot } from "../login-slot.ts";
import type { TokenSource } from "../scoped.ts";

export interface ProjectDeps {
  readonly slot: LoginSlot;
  readonly tokens: TokenSource;
  readonly endpoints: { readonly codeAssist: string };
  readonly clock: Clock;
}

const metadata = { ideType: "IDE_UNSPECIFIED", platform: "PLATFORM_UNSPECIFIED", pluginType: "GEMINI" };
const maxPolls = 12;
const pollMs = 5_000;

/**
 * The Google project of a login: remembered beside the login, else asked for, else made by signing up for the
 * default tier, which takes Google up to a minute. Undefined: Google gives none, and requests go without.
 */
export async function projectOfLogin(parts: ProjectDeps, signal: AbortSignal): Promise<string | undefined> {
  const login = await parts.slot.read(signal);
  if (login === undefined) return undefined;
  const known = textIn(login.extra, "project_id");
  if (known !== undefined) return known;
  const loaded = await call("loadCodeAssist", { metadata }, { parts, signal });
  const project = projectIn(loaded) ?? (await signUp(tierIn(loaded), { parts, signal }));
  if (project === undefined) return undefined;
  await parts.slot.exclusively(async (access) => {
    const stored = await access.read();
    if (stored !== undefined) await access.write({ ...stored, extra: { ...stored.extra, project_id: project } });
  }, signal);
  return project;
}

interface Asking {
  readonly parts: ProjectDeps;
  readonly signal: AbortSignal;
}

type Body = Readonly<Record<string, unknown>>;

async function call(method: string, value: Body, { parts, signal }: Asking): Promise<Body> {
  const token = await parts.tokens.current(signal);
  const answer = await ask(
    `${parts.endpoints.codeAssist}:${method}`,
    {
      method: "POST",
      body: { kind: "json", value },
      headers: { Authorization: `Bearer ${token.secret.reveal()}` },
    },
    signal,
  );
  return answer.kind === "answer" && answer.status === 200 ? answer.body : {};
}

/** A long-running operation: the same question is asked until it says that it is done. */
async function signUp(tierId: string | undefined, asking: Asking): Promise<string | undefined> {
  if (tierId === undefined) return undefined;
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const operation = await call("onboardUser", { tierId, metadata }, asking);
    if (operation.done === true) return isRecord(operation.response) ? projectIn(operation.response) : undefined;
    if (Object.keys(operation).length === 0) return undefined;
    await asking.parts.clock.sleep(pollMs, asking.signal);
  }
  return undefined;
}

function projectIn(body: Body): string | undefined {
  const project = body.cloudaicompanionProject;
  return isRecord(project) ? textIn(project, "id") : textIn(body, "cloudaicompanionProject");
}

function tierIn(body: Body): string | undefined {
  const tiers = Array.isArray(body.allowedTiers) ? body.allowedTiers.filter(isRecord) : [];
  const tier = tiers.find((one) => one.isDefault === true) ?? tiers[0];
  return tier === undefined ? undefined : textIn(tier, "id");
}
