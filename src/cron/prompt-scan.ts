/** What is looked for in prompts that run later with nobody there, beside what is looked for in notes. */
const patterns: readonly { readonly id: string; readonly pattern: RegExp }[] = [
  {
    id: "sends_secrets",
    pattern: /\b(?:curl|wget|nc|ncat)\b[^\n]*(?:\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)|\.env\b)/i,
  },
  {
    id: "reads_secrets",
    pattern:
      /\b(?:cat|less|more|head|tail|type|base64|xxd)\b[^\n]*(?:\.env\b|\.netrc\b|\.pgpass\b|auth\.json|credentials\b|id_(?:rsa|ed25519|ecdsa)\b)/i,
  },
  { id: "authorized_keys", pattern: /authorized_keys/i },
  { id: "sudoers", pattern: /\/etc\/sudoers|\bvisudo\b/i },
  {
    id: "deletes_root",
    pattern: /\brm\s+(?:-\w+\s+|--\S+\s+)*(?:-\w*r\w*|--recursive)\s+(?:-\w+\s+|--\S+\s+)*["']?\/(?:\*|["'\s;&|]|$)/i,
  },
  { id: "hides_from_user", pattern: /\bdo\s+not\s+(?:tell|inform|notify)\s+the\s+user\b/i },
];

/** What in a prompt should not be kept for later; `general` are the ids of the scan all stored text goes through. */
export function promptThreats(prompt: string, general: (text: string) => readonly string[]): readonly string[] {
  const wording = prompt.normalize("NFKC");
  const own = patterns.filter(({ pattern }) => pattern.test(wording)).map(({ id }) => id);
  return [...new Set([...general(prompt), ...own])];
}
