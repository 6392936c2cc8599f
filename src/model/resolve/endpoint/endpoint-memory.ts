import { dirname } from "node:path";
import { defined } from "#foundation/defined";
import { systemErrorCode } from "#foundation/errors";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { ProtocolName } from "../../target.ts";
import { toProtocol } from "../protocol.ts";

/** What an endpoint of the person's own turned out to be. */
export interface EndpointFacts {
  /** Where and in which language it answers, when that is not how it was first addressed. */
  readonly baseUrl?: string;
  readonly protocol?: ProtocolName;
  /** It refused signed thinking that it was sent back. */
  readonly refusesThinking?: boolean;
}

const maxBytes = 262_144;
const maxEndpoints = 200;

/** Remembers, between processes, what requests found out about endpoints. By base URL, as it is written in the settings. */
export class EndpointMemory {
  readonly #file: string | undefined;
  #known: ReadonlyMap<string, EndpointFacts> | undefined;

  constructor(file?: string) {
    this.#file = file;
  }

  get isLoaded(): boolean {
    return this.#known !== undefined;
  }

  /** Once in a process; what cannot be read is no memory. */
  async load(): Promise<void> {
    if (this.isLoaded) return;
    const text =
      this.#file === undefined ? undefined : await readTextFile(this.#file, { maxBytes }).catch(() => undefined);
    const parsed = text === undefined ? undefined : parseJson(text);
    const entries = parsed?.ok === true && isRecord(parsed.value) ? Object.entries(parsed.value) : [];
    this.#known ??= new Map(entries.map(([url, facts]) => [url, factsOf(facts)]));
  }

  facts(baseUrl: string): EndpointFacts {
    return this.#known?.get(baseUrl) ?? {};
  }

  /** A disk that cannot be written to costs only the memory of the next process. */
  async learn(baseUrl: string, learned: EndpointFacts): Promise<void> {
    await this.load();
    const others = [...(this.#known ?? [])].filter(([url]) => url !== baseUrl).slice(1 - maxEndpoints);
    this.#known = new Map([...others, [baseUrl, { ...this.facts(baseUrl), ...learned }]]);
    if (this.#file === undefined) return;
    try {
      await ensureDir(dirname(this.#file), 0o700);
      const text = `${JSON.stringify(Object.fromEntries(this.#known))}\n`;
      await writeFileAtomic(this.#file, text, { mode: 0o600, fsync: false });
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
    }
  }
}

function factsOf(value: unknown): EndpointFacts {
  const { baseUrl, protocol, refusesThinking } = isRecord(value) ? value : {};
  const wire = typeof protocol === "string" ? toProtocol(protocol) : undefined;
  return {
    ...(typeof baseUrl === "string" && URL.canParse(baseUrl) ? { baseUrl } : {}),
    ...defined({ protocol: wire }),
    ...(refusesThinking === true ? { refusesThinking } : {}),
  };
}
