/**
 * What a child program may know of our environment. Invariants:
 *
 * 1. No variable that Hermes uses as a credential reaches a child, unless the user named it in
 *    `terminal.env_passthrough`; a skill can never pass one on.
 * 2. Only listed names are inherited; whatever sounds like a credential is not, on whatever list it stands.
 * 3. The sudo password and internal overrides are never inherited.
 */
export interface EnvironmentPolicy {
  /** `inherit`: what programs and tools of development need. `minimal`: only what programs need to run. Nothing unlisted. */
  readonly policy: "inherit" | "minimal";
  /** Names the user lets through. */
  readonly passthrough?: readonly string[];
  /** Further names the composition knows as credentials or addresses of services. */
  readonly blocked?: readonly string[];
  /** Set by our own callers; a key may carry the prefix `_HERMES_FORCE_`, which is taken off. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Replaces HOME, for a profile with a home of its own. */
  readonly home?: string;
}

const forcePrefix = "_HERMES_FORCE_";

const blockedNames: ReadonlySet<string> = new Set([
  "OPENAI_BASE_URL",
  "OPENAI_API_KEY",
  "OPENAI_API_BASE",
  "OPENAI_ORG_ID",
  "OPENAI_ORGANIZATION",
  "OPENROUTER_API_KEY",
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_TOKEN",
  "ANTHROPIC_API_KEY",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "LLM_MODEL",
  "FIRECRAWL_API_URL",
  "GATEWAY_ALLOWED_USERS",
  "GATEWAY_ALLOW_ALL_USERS",
  "GH_TOKEN",
  "DAYTONA_API_KEY",
]);

const blockedShapes: readonly RegExp[] = [
  /^(?:GOOGLE|GEMINI|DEEPSEEK|MISTRAL|GROQ|TOGETHER|PERPLEXITY|COHERE|FIREWORKS|XAI|HELICONE|PARALLEL|FIRECRAWL)_API_KEY$/,
  /^(?:SIGNAL|HASS|EMAIL|GITHUB_APP)_/,
  /^MODAL_TOKEN_/,
  /^(?:TELEGRAM|DISCORD|SLACK|WHATSAPP|MATRIX|MATTERMOST|FEISHU|DINGTALK|WECOM|TEAMS|SMS)_(?:BOT_TOKEN|APP_TOKEN|TOKEN|HOME_CHANNEL|ALLOWED_USERS|ALLOW_ALL_USERS|SECRET|PASSWORD)/,
];

const neverInherited = /^SUDO_PASSWORD$|_FORCE_/;

const minimalNames =
  /^(?:PATH|HOME|TERM|COLORTERM|SHELL|USER|LOGNAME|LANG|LANGUAGE|TZ|LC_\w+|TMP|TEMP|TMPDIR|SYSTEMROOT|COMSPEC|PATHEXT|(?:https?|ftp|all|no)_proxy)$/i;

/** Settings of tools, which hold no secrets: an allow-list, because nobody can list all names that do. */
const developmentNames =
  /^(?:EDITOR|VISUAL|PAGER|LESS|MANPATH|INFOPATH|XDG_\w+|CI|DEBUG|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|COLUMNS|LINES|TERM_PROGRAM\w*|NODE_ENV|NODE_PATH|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|GIT_SSL_CAINFO|NVM_\w+|FNM_\w+|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|DENO_INSTALL|COREPACK_\w+|PYENV_\w+|VIRTUAL_ENV\w*|CONDA_\w+|POETRY_HOME|PIPENV_\w+|UV_\w+|PIP_\w+|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|UTF8|IOENCODING)|JAVA_HOME|JDK_HOME|M2_HOME|MAVEN_HOME|GRADLE_HOME|SDKMAN_\w+|ANDROID_\w+|GOPATH|GOROOT|GOBIN|GOFLAGS|GOPROXY|GOPRIVATE|GONOSUMDB|GOTOOLCHAIN|GO111MODULE|CARGO_HOME|RUSTUP_\w+|RUST_BACKTRACE|RUSTFLAGS|GEM_HOME|GEM_PATH|RBENV_\w+|RUBYOPT|DOTNET_\w+|PHP_\w+|PERL5LIB|LUA_\w+|R_LIBS\w*|JULIA_\w+|CC|CXX|CPP|LD|AR|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|MAKEFLAGS|CMAKE_\w+|PKG_CONFIG_\w+|LD_LIBRARY_PATH|DYLD_\w*PATH|HOMEBREW_\w+|NIX_\w+|ASDF_\w+|MISE_\w+|DIRENV_\w+|DEBIAN_FRONTEND|KUBECONFIG|TF_\w+|HERMES_GUARDIAN)$/;

/** Names that sound like a credential, whatever list they stand on. */
const credentialName =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT|COOKIE|DSN)(?:_|$)|(?:API|ACCESS|PRIVATE)KEY/i;

/** An address with a password in it. */
const credentialValue = /\w:\/\/[^/\s:@]+:[^/\s@]+@/;

/** True for what must not come out of the person's own start files either. */
export function looksLikeCredential(name: string, value: string): boolean {
  return credentialName.test(name) || credentialValue.test(value);
}

const usualFolders =
  "/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** True for names that must not reach a child by inheritance, nor be remembered between commands. */
export function isBlockedVariable(name: string, further: readonly string[] = []): boolean {
  return (
    blockedNames.has(name) ||
    neverInherited.test(name) ||
    further.includes(name) ||
    blockedShapes.some((shape) => shape.test(name))
  );
}

/** The environment of a child of `terminal`. */
export function childEnvironment(parent: NodeJS.ProcessEnv, policy: EnvironmentPolicy): Record<string, string> {
  const passthrough = new Set(policy.passthrough);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value === undefined || neverInherited.test(name)) continue;
    if (passthrough.has(name) || isKept(name, value, policy)) kept[name] = value;
  }
  for (const [name, value] of Object.entries(policy.extra ?? {})) {
    kept[name.startsWith(forcePrefix) ? name.slice(forcePrefix.length) : name] = value;
  }
  if (policy.home !== undefined) kept["HOME"] = policy.home;
  kept["PATH"] = completePath(kept["PATH"]);
  return kept;
}

function isKept(name: string, value: string, { policy, blocked }: EnvironmentPolicy): boolean {
  if (isBlockedVariable(name, blocked) || credentialName.test(name)) return false;
  if (minimalNames.test(name)) return true;
  return policy === "inherit" && developmentNames.test(name) && !credentialValue.test(value);
}

/** A service manager may start us with a PATH on which nothing is found. */
function completePath(path: string | undefined): string {
  const folders = (path ?? "").split(":");
  if (process.platform === "win32" || folders.includes("/usr/bin")) return path ?? "";
  return path === undefined || path === "" ? usualFolders : `${path}:${usualFolders}`;
}
