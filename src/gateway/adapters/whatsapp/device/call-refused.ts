import { isRecord } from "#foundation/text/json";

/** Why the bridge does not do what a call asks for. */
export class CallRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "CallRefused";
    this.status = status;
  }
}

/** The number that errors of Baileys (made by Boom) carry; 0 without one. */
export function statusOf(error: unknown): number {
  const output: unknown = isRecord(error) || error instanceof Error ? Reflect.get(error, "output") : undefined;
  return isRecord(output) && typeof output["statusCode"] === "number" ? output["statusCode"] : 0;
}

const refused: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 406, 413]);

/** A failed send: WhatsApp said no, or nobody knows whether it arrived (504). */
export function failedSend(error: unknown): CallRefused {
  if (error instanceof CallRefused) return error;
  const status = statusOf(error);
  if (status === 429) return new CallRefused(429, "WhatsApp asks to slow down");
  if (refused.has(status)) return new CallRefused(400, `WhatsApp refused it (${status})`);
  return new CallRefused(504, "WhatsApp did not say whether it took it");
}
