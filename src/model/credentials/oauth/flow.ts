import type { HttpClient } from "#foundation/http/client";
import type { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { AuthFile } from "../auth-file.ts";
import type { Keychain } from "../keychain.ts";
import type { LoginSlot } from "../login-slot.ts";
import type { LoginFailure } from "../refresh.ts";
import type { TokenSource } from "../scoped.ts";
import type { FoundCredential } from "../sources.ts";

/** What a login shows and asks. Surfaces implement it; nothing here writes to a terminal. */
export interface LoginUi {
  /** Nothing can be opened or shown next to the program: over SSH, in a container. */
  readonly isHeadless: boolean;
  /** The notice of the provider; false ends the login. */
  confirm(notice: string, signal: AbortSignal): Promise<boolean>;
  /** The page to open, and the code to type there where the service wants one. */
  showPage(page: { readonly url: string; readonly userCode?: string }): void;
  /** Opens what was shown. False: no browser could be opened. */
  openBrowser(url: string): Promise<boolean>;
  /** Asks for text, such as the address the browser ended at. */
  paste(prompt: string, signal: AbortSignal): Promise<string>;
}

export type LoginOutcome = { readonly kind: "logged-in"; readonly account?: string } | LoginFailure;

export type LoginStatus =
  | { readonly kind: "logged-out" }
  | {
      readonly kind: "logged-in";
      readonly source: string;
      readonly account?: string;
      readonly expiresAtMs?: number;
      readonly secret: Secret;
    };

/** A way to log in to one provider. Plugins bring their own. */
export interface AuthFlow {
  /** Id of the provider. */
  readonly provider: string;
  login(ui: LoginUi, signal: AbortSignal): Promise<LoginOutcome>;
  /** The tokens of the stored login. */
  tokens(): TokenSource;
  /** Without any network. */
  status(signal: AbortSignal): Promise<LoginStatus>;
  logout(signal: AbortSignal): Promise<void>;
  /** The project requests are made for, where a service wants one. May ask the service, the first time. */
  project?(signal: AbortSignal): Promise<string | undefined>;
  /** Another program's login: it is used only for people who chose the provider. */
  readonly isForeign?: boolean;
  /** The credentials of the provider, best first, where they are more than its variables and its login. */
  find?(options: FindOptions, signal: AbortSignal): Promise<readonly FoundCredential[]>;
  /** Why nothing was found, where more is known than that. */
  refusal?(signal: AbortSignal): Promise<(LoginFailure & { readonly source: string }) | undefined>;
  /** Renews a further account that the pool stores; left out, such an account is a plain key. */
  poolTokens?(slot: LoginSlot): TokenSource;
  /** A login of another program on this machine that can be copied into ours. */
  readonly imports?: LoginImport;
  /** Options of a login on the command line, with the variables they stand for. */
  readonly flags?: Readonly<Record<string, string>>;
}

export interface FindOptions {
  /** The person chose the provider, so that other programs' logins may be read. */
  readonly mayReadForeignLogin: boolean;
  /** `providers.<id>.prefer_env_token`. */
  readonly preferEnvironment: boolean;
  readonly keychain?: Keychain | undefined;
  readonly warn: (message: string) => void;
}

export interface LoginImport {
  /** Asked before anything is copied. */
  readonly question: string;
  isThere(): Promise<boolean>;
  /** False: it was there no more, or had run out. */
  take(signal: AbortSignal): Promise<boolean>;
}

/** What every flow is built from. */
export interface FlowContext {
  readonly authFile: AuthFile;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home folder, where other programs keep their logins. */
  readonly userHome: string;
  /** Hermes' own home. */
  readonly hermesHome: string;
  /** Connections with the certificates the person asked for. */
  readonly client?: HttpClient | undefined;
}

export const declined: LoginFailure = {
  kind: "failure",
  code: "login_declined",
  message: "The login was not started because its notice was declined.",
  hint: "Run the command again and accept the notice, or choose another provider with: hermes model",
};

/** A failure that a new login puts right. */
export function reloginFailure(provider: string, message: string, code = "relogin_required"): LoginFailure {
  return { kind: "failure", code, message, hint: `Log in again with: hermes auth add ${provider}` };
}

/** The service could not be reached or is out of order; the login itself may be fine. */
export function unavailable(provider: string, message: string): LoginFailure {
  return {
    kind: "failure",
    code: "temporarily_unavailable",
    message: `The login service of ${provider} gave no answer: ${message}.`,
    hint: "Check the network and try again.",
  };
}
