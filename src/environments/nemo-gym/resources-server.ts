import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";

type Row = Readonly<Record<string, unknown>>;

const answerMs = 600_000;
const maxBytes = 64 * 1024 * 1024;

/** A server of Gym that prepares rows and says what a rollout was worth. */
export class ResourcesServer {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url.replace(/\/+$/, "");
  }

  /** Prepares a row; its cookies tell the server later which one it was. */
  async seed(row: Row, signal: AbortSignal): Promise<{ verify(answered: Row, signal: AbortSignal): Promise<Row> }> {
    const { cookies } = await this.#ask("/seed_session", { body: row, cookies: "" }, signal);
    return {
      verify: async (answered, stop) => (await this.#ask("/verify", { body: answered, cookies }, stop)).value,
    };
  }

  async #ask(
    path: string,
    { body, cookies }: { readonly body: Row; readonly cookies: string },
    signal: AbortSignal,
  ): Promise<{ readonly value: Row; readonly cookies: string }> {
    const url = `${this.#url}${path}`;
    const response = await httpRequest(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(cookies === "" ? {} : { cookie: cookies }) },
      body: JSON.stringify(body),
      ...{ signal, timeoutMs: answerMs, maxBodyBytes: maxBytes },
    });
    if (response.kind === "failure") throw new Error(`${url}: ${response.failure.message}`);
    const text = await response.text();
    if (text.kind === "failure") throw new Error(`${url}: ${text.failure.message}`);
    if (response.status >= 300) throw new Error(`${url} answered ${response.status}: ${text.text.slice(0, 300)}`);
    const parsed = parseJson(text.text);
    const set = response.headers["set-cookie"] ?? "";
    // Several are joined by commas; each begins with its name and value.
    const kept = set.split(/,(?=\s*[^;,\s]+=)/).map((one) => one.split(";")[0]?.trim() ?? "");
    return {
      value: parsed.ok && isRecord(parsed.value) ? parsed.value : {},
      cookies: kept.filter((one) => one !== "").join("; "),
    };
  }
}
