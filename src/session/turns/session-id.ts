import { randomBytes } from "node:crypto";
import type { SessionId } from "#conversation";

/** `YYYYMMDD_HHMMSS_` in local time, as people read it, and eight hexadecimal digits. */
export function newSessionId(nowMs: number): SessionId {
  const now = new Date(nowMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${String(now.getFullYear()).padStart(4, "0")}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  return `${day}_${time}_${randomBytes(4).toString("hex")}` as SessionId;
}
