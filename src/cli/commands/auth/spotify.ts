import { UserError } from "#foundation/errors";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { Models } from "#model";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { openModelAccess } from "../../support/models.ts";
import { openLoginUi } from "./login-ui.ts";

type SpotifyLogin = Models["spotify"];

/** Logs in to Spotify through the person's own app there. Exit 0 with `--status` when somebody is logged in, else 1. */
export async function authSpotify(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { spotify } = parts.models;
  if (hasFlag(invocation, "logout")) {
    await spotify.logout();
    out.document({ service: "spotify", is_logged_in: false });
    out.line("Logged out of Spotify; its login is forgotten here.");
    return 0;
  }
  if (hasFlag(invocation, "status")) return await showStatus(spotify, { out, signal: invocation.io.signal });
  const clientId = await clientIdFor(invocation, { spotify, out });
  const seconds = flagNumber(invocation, "timeout", { usual: 900 });
  using limit = deadline(seconds * 1000, "nobody completed the login in time");
  using ui = openLoginUi(invocation, out, { hasBrowser: !hasFlag(invocation, "no-browser") });
  const outcome = await spotify.login({ clientId, ui }, linkSignals(invocation.io.signal, limit.signal));
  if (outcome.kind === "failure") throw new UserError(outcome.message, { code: outcome.code, hint: outcome.hint });
  const { account } = outcome;
  out.document({ service: "spotify", is_logged_in: true, account: account ?? null });
  out.line(`Logged in to Spotify${account === undefined ? "" : ` as ${account}`}.`);
  out.line("Let Hermes use it with: hermes tools enable spotify");
  return 0;
}

async function showStatus(
  spotify: SpotifyLogin,
  { out, signal }: { readonly out: Output; readonly signal: AbortSignal },
): Promise<number> {
  const status = await spotify.status(signal);
  const isLoggedIn = status.kind === "logged-in";
  const account = isLoggedIn ? status.account : undefined;
  out.document({ service: "spotify", is_logged_in: isLoggedIn, account: account ?? null });
  out.line(
    isLoggedIn ? `Spotify: logged in${account === undefined ? "" : ` as ${account}`}` : "Spotify: not logged in",
  );
  return isLoggedIn ? 0 : 1;
}

/** Named in the line or by a variable, else that of the login before, else asked for. */
async function clientIdFor(
  invocation: Invocation,
  { spotify, out }: { readonly spotify: SpotifyLogin; readonly out: Output },
): Promise<string> {
  const { io } = invocation;
  const known = flagText(invocation, "client-id") ?? io.env["SPOTIFY_CLIENT_ID"] ?? (await spotify.clientId(io.signal));
  if (known !== undefined && known.trim() !== "") return known.trim();
  const about = [
    "Spotify wants an app of your own: create one in its developer dashboard (Web API), add this address",
    `as a redirect URI, and copy the client ID:  ${spotify.redirectUri}`,
  ].join("\n");
  if (!isTerminal(io))
    throw new UserError(about, { code: "missing_client_id", hint: "Name it: hermes auth spotify --client-id <id>" });
  out.note(about);
  using asker = openAsker(io);
  const typed = (await asker.text("Client ID")).trim();
  if (typed !== "") return typed;
  throw new UserError("No client ID was given.", {
    code: "missing_client_id",
    hint: "Run it again: hermes auth spotify",
  });
}
