import { type GuardRule, rulesOf } from "../rule.ts";

/** Keys lying about, or being asked for. */
export const credentialExposure: readonly GuardRule[] = rulesOf("credential_exposure", [
  {
    id: "private-key",
    severity: "critical",
    pattern: /-----BEGIN (?:RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY/,
    says: "contains a private key",
    example: "-----BEGIN OPENSSH PRIVATE KEY-----",
  },
  {
    id: "aws-key",
    severity: "critical",
    pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
    says: "contains an AWS key",
    example: `id: AKIA${"A1B2C3D4".repeat(2)}`,
  },
  {
    id: "github-token",
    severity: "critical",
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})/,
    says: "contains a GitHub token",
    example: `token: ghp_${"a1B2".repeat(9)}`,
  },
  {
    id: "model-provider-key",
    severity: "critical",
    pattern: /\bsk-(?:ant-|proj-|or-v1-)?[A-Za-z0-9_-]{32,}/,
    says: "contains a key of a model provider",
    example: `key: sk-proj-${"a1B2".repeat(10)}`,
  },
  {
    id: "chat-token",
    severity: "critical",
    pattern: /\bxox[abprs]-\d{6,}-[A-Za-z0-9-]{10,}|\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b/,
    says: "contains a bot token",
    example: `bot: 123456789:AA${"abc".repeat(11)}`,
  },
  {
    id: "google-key",
    severity: "critical",
    pattern: /\bAIza[A-Za-z0-9_-]{35}\b/,
    says: "contains a Google key",
    example: `k=AIza${"abcde".repeat(7)}`,
  },
  {
    id: "password-in-url",
    severity: "high",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@<>{}$]{1,64}:[^\s/@<>{}$*]{3,64}@[\w.-]+/i,
    says: "contains an address with a password",
    example: "postgres://app:s3cretpw@db.example.test/app",
  },
  {
    id: "assigned-secret",
    severity: "high",
    pattern:
      /\b(?:api[_-]?key|secret|password|passwd|access[_-]?token)\s*[:=]\s*["'](?!(?:your|my|the|changeme|example|placeholder|xxx|test|dummy|<|\$|\{|\*|\.\.\.))[A-Za-z0-9+/_!@#%^&-]{12,}["']/i,
    says: "contains what looks like a real secret",
    example: 'password = "hq8Fj2LwPz71"',
  },
  {
    id: "read-agent-secrets",
    severity: "critical",
    pattern: /(?:\.hermes|HERMES_HOME\}?)\/(?:\.env|auth\.json|auth\/|mcp-tokens)/,
    says: "reads the agent's own secrets",
    example: "cat ~/.hermes/.env",
  },
  {
    id: "read-private-keys",
    severity: "critical",
    pattern:
      /\b(?:cat|less|head|tail|cp|read|open|base64|xxd)\b.{0,60}(?:\.ssh\/(?:id_|identity)|id_rsa\b|id_ed25519\b)(?!\.pub)/,
    says: "reads private keys",
    example: "cat ~/.ssh/id_ed25519",
  },
  {
    id: "read-cloud-credentials",
    severity: "critical",
    pattern:
      /(?:~|\$HOME|\$\{HOME\})\/\.(?:aws\/credentials|config\/gcloud|azure\/|kube\/config|docker\/config\.json|netrc|pgpass|npmrc|pypirc|config\/gh\/hosts)/,
    says: "reads credentials of other programs",
    example: "cat ~/.aws/credentials",
  },
  {
    id: "search-for-secrets",
    severity: "high",
    pattern:
      /\b(?:grep|rg|find|ag)\b.{0,80}(?:-name\s+["']?\*?\.(?:env|pem|key|p12)\b|(?:api[_-]?key|password|secret|token).{0,40}(?:~|\$HOME|\s\/(?:\s|$)))/i,
    says: "searches the machine for secrets",
    example: "find / -name '*.pem'",
  },
  {
    id: "ask-for-secret",
    severity: "medium",
    pattern:
      /\bask\s+(?:the\s+)?user\s+(?:for|to\s+(?:paste|type|enter|provide|send))\b.{0,40}\b(?:password|passphrase|private key|seed phrase|2fa code|one-time code)\b/i,
    says: "has the user type a secret into the conversation",
    example: "Ask the user to paste their password here.",
  },
  {
    id: "print-secret",
    severity: "high",
    pattern: /\b(?:echo|printf|print|console\.log)\b[^|]{0,40}\$\{?\w*(?:API_KEY|TOKEN|SECRET|PASSWORD)\b/i,
    says: "prints a secret, so that it ends up in logs and in the conversation",
    example: "echo $OPENAI_API_KEY",
  },
]);
