import { subscriptionIdentification } from "./anthropic-subscription.ts";
import { hostMatches, parseUrl, pathOf } from "./hosts.ts";

/**
 * How Hermes names itself to each endpoint. Rows that `imitate` name another program, because the
 * endpoint answers nobody else; they are used only after the person accepted that provider's notice.
 */
export interface IdentificationRow {
  /** Undefined: every host. */
  readonly host?: string;
  readonly pathPrefix?: string;
  /** Only with a subscription token, not with an API key. */
  readonly onlyWithLogin?: boolean;
  readonly imitates: boolean;
  /** `{version}`, `{os}`, `{arch}` and `{claude}` are filled in. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Later rows win over earlier ones, header by header. */
export const identificationRows: readonly IdentificationRow[] = [
  { imitates: false, headers: { "User-Agent": "HermesAgent/{version}" } },
  {
    host: "api.githubcopilot.com",
    imitates: false,
    headers: { "User-Agent": "HermesAgent/1.0", "Editor-Version": "vscode/1.104.1" },
  },
  {
    host: "api.kimi.com",
    pathPrefix: "/coding",
    imitates: true,
    headers: { "User-Agent": "claude-code/0.1.0" },
  },
  {
    host: "chatgpt.com",
    pathPrefix: "/backend-api/codex",
    imitates: true,
    headers: { "User-Agent": "codex_cli_rs/0.0.0 (Hermes Agent)", originator: "codex_cli_rs" },
  },
  subscriptionIdentification,
  {
    host: "portal.qwen.ai",
    imitates: true,
    headers: {
      "User-Agent": "QwenCode/0.14.1 ({os}; {arch})",
      "X-DashScope-UserAgent": "QwenCode/0.14.1 ({os}; {arch})",
    },
  },
  {
    host: "cloudcode-pa.googleapis.com",
    imitates: true,
    headers: {
      "User-Agent": "google-api-nodejs-client/9.15.1 (gzip)",
      "X-Goog-Api-Client": "gl-node/24.0.0",
      "Client-Metadata": "ideType=IDE_UNSPECIFIED,platform=PLATFORM_UNSPECIFIED,pluginType=GEMINI",
    },
  },
];

/** Public identifiers that login servers give to client programs; none of them is a secret. */
export const clientIds = {
  copilot: "Ov23li8tweQw6odWQebz",
  codex: "app_EMoamEEZ73f0CkXaXp7hrann",
  anthropic: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
  qwen: "f0304373b74a44d2b584a3fb70ca9e56",
  nous: "hermes-cli",
} as const;

/** The exchange of a GitHub token is refused to unknown clients. */
export const copilotExchangeAgent = "GitHubCopilotChat/0.26.7";

/** A version of that program the endpoint knows. */
const claudeVersion = "2.1.74";

export interface IdentificationFacts {
  readonly version: string;
  readonly hasLogin: boolean;
  readonly isNoticeAccepted: boolean;
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
}

export interface Identification {
  readonly headers: Readonly<Record<string, string>>;
  /** The endpoint wants headers that were left out because the notice was not accepted. */
  readonly isIncomplete: boolean;
}

export function identificationFor(url: string, facts: IdentificationFacts): Identification {
  const headers: Record<string, string> = {};
  let isIncomplete = false;
  const address = parseUrl(url) ?? url;
  for (const row of identificationRows) {
    if (!applies(row, address, facts)) continue;
    if (row.imitates && !facts.isNoticeAccepted) isIncomplete = true;
    else for (const [name, value] of Object.entries(row.headers)) headers[name] = fill(value, facts);
  }
  return { headers, isIncomplete };
}

function applies(row: IdentificationRow, url: URL | string, facts: IdentificationFacts): boolean {
  if (row.onlyWithLogin === true && !facts.hasLogin) return false;
  if (row.host !== undefined && !hostMatches(url, row.host)) return false;
  return row.pathPrefix === undefined || `${pathOf(url)}/`.startsWith(`${row.pathPrefix}/`);
}

function fill(text: string, facts: IdentificationFacts): string {
  const values: Readonly<Record<string, string>> = {
    version: facts.version,
    claude: claudeVersion,
    os: facts.platform ?? process.platform,
    arch: facts.arch ?? process.arch,
  };
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
