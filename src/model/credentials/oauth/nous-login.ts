import type { LoginCodec } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import { textIn } from "./exchange.ts";

/** `providers.nous` in the store: access and refresh token beside the agent key. */
export const nousCodec: LoginCodec = {
  parse(record) {
    const accessToken = textIn(record, "access_token");
    if (accessToken === undefined) return undefined;
    const refreshToken = textIn(record, "refresh_token");
    const expiresAtMs = momentOf(record.expires_at);
    return {
      accessToken,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      extra: record,
    };
  },
  format: (login, before) => ({
    ...before,
    ...login.extra,
    access_token: login.accessToken,
    ...(login.refreshToken === undefined ? {} : { refresh_token: login.refreshToken }),
    expires_at: login.expiresAtMs === undefined ? null : new Date(login.expiresAtMs).toISOString(),
  }),
};
