import { textIn } from "#foundation/http/ask";
import type { LoginCodec } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import { loginFrom, tokenFields } from "./login-record.ts";

/** `providers.nous` in the store: access and refresh token beside the agent key. */
export const nousCodec: LoginCodec = {
  parse(record) {
    return loginFrom({
      accessToken: textIn(record, "access_token"),
      refreshToken: textIn(record, "refresh_token"),
      expiresAtMs: momentOf(record.expires_at),
      extra: record,
    });
  },
  format: (login, before) => ({
    ...before,
    ...login.extra,
    ...tokenFields(login),
    expires_at: login.expiresAtMs === undefined ? null : new Date(login.expiresAtMs).toISOString(),
  }),
};
