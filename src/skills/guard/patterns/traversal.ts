import { type GuardRule, rulesOf } from "../rule.ts";

/** Reaching for files that are none of a skill's business. */
export const traversal: readonly GuardRule[] = rulesOf("traversal", [
  {
    id: "deep-parent-path",
    severity: "high",
    pattern: /(?:\.\.[\\/]){3}/,
    says: "climbs several folders up",
    example: "cat ../../../secret",
  },
  {
    id: "encoded-parent-path",
    severity: "critical",
    pattern: /(?:%2e%2e(?:%2f|\/)|\.\.%2f|%252e%252e|\.\.%5c)/i,
    says: "climbs out of a folder in an encoded way",
    example: "GET /files/%2e%2e%2fetc",
  },
  {
    id: "read-passwd",
    severity: "high",
    pattern: /\/etc\/(?:passwd|group)\b/,
    says: "looks at the list of accounts",
    example: "cat /etc/passwd",
  },
  {
    id: "read-shadow",
    severity: "critical",
    pattern: /\/etc\/(?:shadow|gshadow|master\.passwd)\b/,
    says: "looks at password hashes",
    example: "cat /etc/shadow",
  },
  {
    id: "process-environment",
    severity: "critical",
    pattern: /\/proc\/(?:self|\d+|\*|\$\w+)\/(?:environ|mem|maps|root)\b/,
    says: "reads the memory or environment of programs",
    example: "cat /proc/self/environ",
  },
  {
    id: "container-socket",
    severity: "critical",
    pattern: /\/(?:var\/)?run\/(?:docker|containerd\/containerd|podman\/podman)\.sock\b/,
    says: "talks to the container service, which rules the machine",
    example: "curl --unix-socket /var/run/docker.sock http://x/containers/json",
  },
  {
    id: "browser-profile",
    severity: "critical",
    pattern:
      /(?:Google\/Chrome|google-chrome|BraveSoftware|\.mozilla\/firefox|Firefox\/Profiles|Chromium)\b.{0,80}(?:Login Data|Cookies|logins\.json|key4\.db|Local State|cookies\.sqlite)/i,
    says: "reads passwords or cookies of a browser",
    example: "cp ~/.config/google-chrome/Default/Cookies .",
  },
  {
    id: "key-store",
    severity: "critical",
    pattern:
      /\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain)|Library\/Keychains\b|\.local\/share\/keyrings\b/,
    says: "reads the system's store of passwords",
    example: "security find-generic-password -wa x",
  },
  {
    id: "wallet-files",
    severity: "critical",
    pattern: /\b(?:wallet\.dat|\.electrum\/wallets|\.ethereum\/keystore|Exodus\/exodus\.wallet|solana\/id\.json)\b/i,
    says: "looks for crypto wallets",
    example: "find ~ -name wallet.dat",
  },
  {
    id: "host-root-mount",
    severity: "critical",
    pattern: /\b(?:docker|podman)\s+run\b.{0,200}(?:-v|--volume|--mount)\s*\S{0,40}(?:source=)?\/(?::|,)/,
    says: "mounts the whole machine into a container",
    example: "docker run -v /:/host alpine",
  },
  {
    id: "mailbox-files",
    severity: "high",
    pattern: /(?:Library\/Mail\/|Library\/Messages\/chat\.db|\.thunderbird\/|\/var\/(?:spool\/)?mail\/)/,
    says: "reads mail or messages",
    example: "sqlite3 ~/Library/Messages/chat.db",
  },
]);
