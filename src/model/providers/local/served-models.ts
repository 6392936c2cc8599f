import type { Config } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import { Secret } from "#foundation/secrets/secret";
import type { LocalServer } from "#local-model";

/** The models in files of a home, and this program's hold on the process that runs them. */
export class HomeModels implements AsyncDisposable {
  readonly #home: HermesHome;
  readonly #settings: Config["local"];
  #server: Promise<LocalServer> | undefined;

  constructor(home: HermesHome, settings: Config["local"]) {
    this.#home = home;
    this.#settings = settings;
  }

  async list() {
    const { ModelLibrary } = await import("#local-model");
    const { models } = await new ModelLibrary(this.#home.at("models")).list();
    const most = this.#settings.context_length ?? Number.POSITIVE_INFINITY;
    return models.map(({ id, facts }) => ({ id, contextWindow: Math.min(facts.contextLength, most) }));
  }

  async address(signal: AbortSignal) {
    const { port, token } = await (await this.#open()).address(signal);
    return { baseUrl: `http://127.0.0.1:${port}/v1`, token: new Secret(token) };
  }

  async ready(signal: AbortSignal): Promise<void> {
    await (await this.#open()).ready(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#server)?.[Symbol.asyncDispose]();
  }

  #open(): Promise<LocalServer> {
    this.#server ??= import("#local-model").then(
      ({ LocalServer }) =>
        new LocalServer({
          home: this.#home,
          idleMs: this.#settings.idle_minutes * 60_000,
          maxContext: this.#settings.context_length,
        }),
    );
    return this.#server;
  }
}
