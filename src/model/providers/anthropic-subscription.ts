import { hostMatches } from "./hosts.ts";

/**
 * Everything that sets a request with a Claude subscription token apart from one with an API key:
 *
 * 1. It is about headers alone. The prompt, the names of the tools and every other byte of the body are
 *    those of a request with a key: Hermes does not claim inside a conversation to be another product,
 *    so no opening line in another program's name is sent and tools are not renamed after its customs.
 *    Where the service turns such a request away, an API key is the way.
 * 2. Nothing of it goes to a host that merely speaks Anthropic's language, not even the token.
 * 3. Headers that name the official client wait for the person's consent to the provider's notice. The
 *    beta that makes the service read a login token at all names nobody and is always sent.
 */
export const subscriptionHost = "api.anthropic.com";

/** How the client is named, in the form of the other rows; only with a login and after consent. */
export const subscriptionIdentification = {
  host: subscriptionHost,
  onlyWithLogin: true,
  imitates: true,
  headers: { "User-Agent": "claude-cli/{claude} (external, cli)", "x-app": "cli" },
} as const;

const loginBeta = "oauth-2025-04-20";
const clientBeta = "claude-code-20250219";

type Headers = Readonly<Record<string, string>>;

/** The credential's headers with the betas a login needs, besides those the request already asks for. */
export function subscriptionShape(isNoticeAccepted: boolean) {
  return (credential: Headers, sent: { readonly url: URL; readonly headers: Headers }): Headers => {
    if (!hostMatches(sent.url, subscriptionHost)) return credential;
    const name = Object.keys(sent.headers).find((one) => one.toLowerCase() === "anthropic-beta") ?? "anthropic-beta";
    const asked = (sent.headers[name] ?? "").split(",").map((one) => one.trim());
    const betas = new Set([...asked, ...(isNoticeAccepted ? [clientBeta] : []), loginBeta].filter((one) => one !== ""));
    return { ...credential, [name]: [...betas].join(",") };
  };
}
