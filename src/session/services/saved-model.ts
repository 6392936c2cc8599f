import { describe } from "#foundation/errors";
import { isAbort } from "#foundation/lifecycle/abort";
import type { Target } from "#model";
import type { ModelServiceDeps } from "./models.ts";

type SavedModelDeps = Pick<
  ModelServiceDeps,
  "agent" | "choose" | "resolve" | "settingsStamp" | "followsSettings" | "redactor" | "logger"
>;

/** Keeps a session at what is saved: a key that was replaced since is used with the next turn, without a restart. */
export class SavedModel {
  readonly #deps: SavedModelDeps;
  /** The session has the model that is saved, and no other was chosen in it. */
  isFollowed: boolean;
  #stamp: string;

  constructor(deps: SavedModelDeps) {
    this.#deps = deps;
    this.isFollowed = deps.followsSettings;
    this.#stamp = deps.settingsStamp();
  }

  refresh(signal: AbortSignal): Promise<void> | undefined {
    const stamp = this.#deps.settingsStamp();
    if (stamp === this.#stamp) return undefined;
    this.#stamp = stamp;
    return this.#follow(signal);
  }

  /** What cannot be found any more is not taken away from the session. */
  async #follow(signal: AbortSignal): Promise<void> {
    try {
      await this.#takeOver(signal);
    } catch (error) {
      if (isAbort(error)) throw error;
      this.#deps.logger.warn("the model of a session is not what is saved now", { error: describe(error) });
    }
  }

  async #takeOver(signal: AbortSignal): Promise<void> {
    const { agent, redactor } = this.#deps;
    const { conversation } = agent;
    const { primary } = conversation;
    const found = await this.#find(primary, signal);
    for (const secret of found.credential.secrets) redactor.add(secret, found.provider);
    if (!isSameModel(found, primary)) await agent.changeModel(found);
    else if (hasOtherKey(found, primary)) conversation.adjust(primary, { ...primary, credential: found.credential });
  }

  async #find({ provider, model }: Target, signal: AbortSignal): Promise<Target> {
    if (this.isFollowed) return (await this.#deps.choose(signal)).target;
    const resolution = await this.#deps.resolve({ provider, model }, signal);
    if (resolution.kind === "failure") throw new Error(resolution.message);
    return resolution.target;
  }
}

function isSameModel(one: Target, other: Target): boolean {
  return one.provider === other.provider && one.model === other.model && one.baseUrl === other.baseUrl;
}

/** Tokens of a login are renewed where they are used; a key is what it is. */
function hasOtherKey({ credential: one }: Target, { credential: other }: Target): boolean {
  if (one.source !== other.source) return true;
  const isKey = /^(?:env|config|model_config)/u.test(one.source);
  return isKey && one.secrets.some((secret, index) => other.secrets[index]?.equals(secret) !== true);
}
