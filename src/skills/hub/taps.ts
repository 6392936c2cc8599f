import { UserError } from "#foundation/errors";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson, toJsonText } from "#foundation/text/json";
import { readTexts } from "#foundation/text/read-fields";
import { isRepository } from "./repository.ts";

const defaultTaps: readonly string[] = ["openai/skills", "anthropics/skills"];

/** The repositories that searching looks through: two that are always there, and those the user added. */
export class Taps {
  readonly #home: HermesHome;

  constructor(home: HermesHome) {
    this.#home = home;
  }

  async list(): Promise<readonly string[]> {
    return [...new Set([...defaultTaps, ...(await this.#added())])];
  }

  async add(repository: string): Promise<void> {
    if (!isRepository(repository))
      throw new UserError(`${JSON.stringify(repository)} is not a repository.`, {
        hint: "Give it as owner/name.",
        code: "tap_invalid",
      });
    await this.#write([...new Set([...(await this.#added()), repository])]);
  }

  async remove(repository: string): Promise<void> {
    const added = await this.#added();
    if (!added.includes(repository))
      throw new UserError(`${repository} is not one of your taps.`, {
        hint: defaultTaps.includes(repository) ? "It is built in." : "See them with: hermes skills tap list",
        code: "tap_unknown",
      });
    await this.#write(added.filter((one) => one !== repository));
  }

  get #file(): string {
    return this.#home.at("skills", ".hub", "taps.json");
  }

  async #added(): Promise<readonly string[]> {
    const text = await readTextFile(this.#file, { maxBytes: 1_048_576 });
    const parsed = text === undefined ? undefined : parseJson(text);
    const taps = parsed?.ok === true && isRecord(parsed.value) ? parsed.value["taps"] : undefined;
    return readTexts(taps).filter(isRepository);
  }

  async #write(taps: readonly string[]): Promise<void> {
    await ensureDir(this.#home.at("skills", ".hub"));
    await writeFileAtomic(this.#file, `${toJsonText({ taps }, { indent: 2 })}\n`);
  }
}
