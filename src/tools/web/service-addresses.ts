import type { VariableOrigin } from "#config";

/** A service whose address can be set: which keys would be sent there, and the hosts that are its own. */
export interface ServiceAddress {
  readonly address: string;
  readonly keys: readonly string[];
  readonly hosts: readonly string[];
}

/** Keys of the subscription: its token as a variable, or the login that the home keeps. */
const subscription = { keys: ["TOOL_GATEWAY_USER_TOKEN"], hosts: ["nousresearch.com"] } as const;

export const serviceAddresses: readonly ServiceAddress[] = [
  { address: "FIRECRAWL_API_URL", keys: ["FIRECRAWL_API_KEY"], hosts: ["firecrawl.dev"] },
  { address: "PARALLEL_BASE_URL", keys: ["PARALLEL_API_KEY"], hosts: ["parallel.ai"] },
  { address: "TAVILY_BASE_URL", keys: ["TAVILY_API_KEY"], hosts: ["tavily.com"] },
  { address: "EXA_BASE_URL", keys: ["EXA_API_KEY"], hosts: ["exa.ai"] },
  { address: "BRAVE_BASE_URL", keys: ["BRAVE_API_KEY"], hosts: ["search.brave.com"] },
  { address: "BROWSER_USE_BASE_URL", keys: ["BROWSER_USE_API_KEY"], hosts: ["browser-use.com"] },
  { address: "BROWSERBASE_BASE_URL", keys: ["BROWSERBASE_API_KEY"], hosts: ["browserbase.com"] },
  { address: "FAL_BASE_URL", keys: ["FAL_KEY"], hosts: ["fal.run"] },
  ...["FIRECRAWL", "BROWSER_USE", "FAL_QUEUE", "OPENAI_AUDIO", "MODAL"].map((vendor) => ({
    address: `${vendor}_GATEWAY_URL`,
    ...subscription,
  })),
  { address: "TOOL_GATEWAY_DOMAIN", ...subscription },
  { address: "TOOL_GATEWAY_SCHEME", ...subscription },
];

export interface OriginEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  originOf(name: string): VariableOrigin | undefined;
}

/**
 * The variables without addresses that could lead a key astray: a key goes to the hosts of its service, to an address that the home's
 * own file names, or to one that came from the same place as the key itself. `onDropped` hears of each that does not count.
 */
export function withBoundKeys(
  { variables, originOf }: OriginEnvironment,
  onDropped: (address: string) => void,
): Readonly<Record<string, string | undefined>> {
  const isSet = (name: string): boolean => (variables[name] ?? "").trim() !== "";
  const astray = serviceAddresses.filter(({ address, keys, hosts }) => {
    if (!isSet(address) || originOf(address) === "home-file" || isOwnHost(variables[address] ?? "", hosts))
      return false;
    const set = keys.filter(isSet);
    // Without the variable the subscription's key is the login of the home.
    if (set.length === 0) return keys === subscription.keys;
    return set.some((key) => originOf(key) !== originOf(address));
  });
  if (astray.length === 0) return variables;
  const bound = { ...variables };
  for (const { address } of astray) {
    delete bound[address];
    onDropped(address);
  }
  return bound;
}

/** Over TLS, at a host of the service or below one. */
function isOwnHost(address: string, hosts: readonly string[]): boolean {
  if (hosts.includes(address.toLowerCase()) || address === "https") return true;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:") return false;
  return hosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
}
