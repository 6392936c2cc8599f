import { type GuardRule, rulesOf } from "../rule.ts";

/** Content that does not want to be read. */
export const obfuscation: readonly GuardRule[] = rulesOf("obfuscation", [
  {
    id: "decoded-into-shell",
    severity: "critical",
    pattern:
      /\b(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+enc\s+-d|uudecode)\b.{0,120}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/,
    says: "runs text that was hidden by an encoding",
    example: "echo aGk= | base64 -d | sh",
  },
  {
    id: "decoded-into-interpreter",
    severity: "critical",
    pattern: /\b(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r)\b.{0,120}\|\s*(?:python3?|node|perl|ruby|php)\b/,
    says: "runs code that was hidden by an encoding",
    example: "echo aGk= | base64 --decode | python3",
  },
  {
    id: "exec-of-decoded",
    severity: "critical",
    pattern:
      /\b(?:exec|eval|Function)\s*\(.{0,80}(?:b64decode|atob|fromCharCode|unhexlify|codecs\.decode|zlib\.decompress|marshal\.loads|Buffer\.from\([^)]{0,80}base64)/,
    says: "runs code that was hidden by an encoding",
    example: "exec(base64.b64decode(blob))",
  },
  {
    id: "eval-of-variable",
    severity: "high",
    pattern: /\beval\s+["']?\$[({]?\w/,
    says: "runs a computed text as a command",
    example: 'eval "$PAYLOAD"',
  },
  {
    id: "code-eval",
    severity: "medium",
    pattern: /(?<![\w.])(?:eval|exec)\s*\(\s*(?!["'`)])\w/,
    says: "runs a computed text as code",
    example: "eval(user_input)",
  },
  {
    id: "long-base64",
    severity: "medium",
    pattern:
      /(?<![\w+/=:,-])(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{200,}={0,2}/,
    says: "a long encoded block nobody can read",
    example: `data = "${"aB3".repeat(80)}"`,
  },
  {
    id: "hex-escapes",
    severity: "medium",
    pattern: /(?:\\x[0-9a-fA-F]{2}){12}/,
    says: "text written as a run of hexadecimal escapes",
    example: '"\\x63\\x75\\x72\\x6c\\x20\\x68\\x74\\x74\\x70\\x3a\\x2f\\x2f"',
  },
  {
    id: "unicode-escapes",
    severity: "medium",
    pattern: /(?:\\u[0-9a-fA-F]{4}){12}/,
    says: "text written as a run of Unicode escapes",
    example: "\\u0063\\u0075\\u0072\\u006c\\u0020\\u0068\\u0074\\u0074\\u0070\\u003a\\u002f\\u002f",
  },
  {
    id: "char-code-list",
    severity: "high",
    pattern: /(?:String\.fromCharCode|chr)\s*\(\s*\d+(?:\s*,\s*\d+){7}|(?:chr\(\d+\)\s*\+\s*){5}/,
    says: "text put together from character numbers",
    example: "String.fromCharCode(99,117,114,108,32,104,116,116,112)",
  },
  {
    id: "reversed-command",
    severity: "high",
    pattern: /\|\s*rev\s*\|\s*(?:ba|z)?sh\b|\[::-1\]\s*\)?\s*\)?\s*(?:;|$).{0,40}\b(?:exec|system)\b/,
    says: "runs text that was written backwards",
    example: "echo 'hsab' | rev | bash",
  },
  {
    id: "field-separator-trick",
    severity: "high",
    pattern: /\$\{IFS\}|\$IFS\$?\d?[a-z/]/,
    says: "hides the spaces of a command",
    example: "cat$IFS/etc/hosts",
  },
  {
    id: "data-uri-script",
    severity: "high",
    pattern: /data:(?:text\/html|application\/(?:x-)?javascript|text\/javascript)[^,\s]{0,40},/i,
    says: "carries a script inside an address",
    example: "data:text/html;base64,PHNjcmlwdD4=",
  },
]);
