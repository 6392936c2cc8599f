import type { ConfigWarning } from "../../warning.ts";

const names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "TELEGRAM_PROXY", "DISCORD_PROXY"];
const schemes: ReadonlySet<string> = new Set(["http:", "https:", "socks:", "socks4:", "socks5:", "socks5h:"]);

/** Proxy variables that cannot be used, by name. The value may hold a password and is never repeated. */
export function checkProxies(variables: Readonly<Record<string, string | undefined>>): readonly ConfigWarning[] {
  return names
    .flatMap((name) => [name, name.toLowerCase()])
    .flatMap((name) => {
      const value = variables[name]?.trim();
      const reason = value === undefined || value === "" ? undefined : problemWith(value);
      return reason === undefined ? [] : [warning(name, reason)];
    });
}

function problemWith(value: string): string | undefined {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(withScheme)) return "is not an address";
  const url = new URL(withScheme);
  if (!schemes.has(url.protocol)) return `uses ${url.protocol}//, which is not a kind of proxy Hermes can use`;
  return url.hostname === "" ? "names no host" : undefined;
}

function warning(name: string, reason: string): ConfigWarning {
  return {
    kind: "variable",
    severity: "error",
    message: `The variable ${name} ${reason}.`,
    hint: `Set it to something like http://127.0.0.1:3128, or unset ${name}.`,
    key: name,
  };
}
