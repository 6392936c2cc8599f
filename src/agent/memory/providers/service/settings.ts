import { join } from "node:path";
import { readTextFile } from "#foundation/files/files";
import { Secret } from "#foundation/secrets/secret";
import { isRecord, parseJson } from "#foundation/text/json";
import type { ProviderHost } from "../../provider.ts";
import type { MemoryService } from "./service.ts";

const maxFileBytes = 65_536;

/** The settings of one service: `.env` before its file, its file before what is usual. */
export class ServiceSettings {
  readonly host: ProviderHost;
  readonly #service: MemoryService;
  readonly #file: Readonly<Record<string, unknown>>;

  constructor(service: MemoryService, host: ProviderHost, file: Readonly<Record<string, unknown>> = {}) {
    this.#service = service;
    this.host = host;
    this.#file = file;
  }

  static async read(service: MemoryService, host: ProviderHost): Promise<ServiceSettings> {
    if (service.configFile === undefined) return new ServiceSettings(service, host);
    const text = await readTextFile(join(host.hermesHome, service.configFile), { maxBytes: maxFileBytes });
    const parsed = parseJson(text ?? "{}");
    return new ServiceSettings(service, host, parsed.ok && isRecord(parsed.value) ? parsed.value : {});
  }

  text(key: string): string {
    const field = this.#service.schema.find((one) => one.key === key);
    return this.fromEnvironment(key) ?? this.#fromFile(key) ?? field?.default ?? "";
  }

  /** What the person wrote into `.env` or the environment. */
  fromEnvironment(key: string): string | undefined {
    const field = this.#service.schema.find((one) => one.key === key);
    const value = field?.envVar === undefined ? "" : (this.host.variables[field.envVar]?.trim() ?? "");
    return value === "" ? undefined : value;
  }

  /** The key of the service, if there is one; keys stand in no file of settings. */
  secret(key: string): { readonly secret: Secret; readonly source: string } | undefined {
    const field = this.#service.schema.find((one) => one.key === key && one.secret === true);
    const value = this.fromEnvironment(key);
    return field?.envVar === undefined || value === undefined
      ? undefined
      : { secret: new Secret(value), source: `env:${field.envVar}` };
  }

  get hasRequired(): boolean {
    return this.#service.schema
      .filter(({ required, when }) => required === true && this.#applies(when))
      .every(({ key }) => this.text(key) !== "");
  }

  #applies(when: Readonly<Record<string, string>> = {}): boolean {
    return Object.entries(when).every(([key, wanted]) => this.text(key) === wanted);
  }

  #fromFile(key: string): string | undefined {
    const value = this.#file[key];
    const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isScalar && String(value).trim() !== "" ? String(value).trim() : undefined;
  }
}
