import { BlockList, isIP } from "node:net";

/** Where machines keep their own credentials: never fetched, whatever is configured. */
const metadata: readonly Range[] = [
  ["169.254.0.0", 16, "ipv4"],
  ["100.100.100.200", 32, "ipv4"],
  ["168.63.129.16", 32, "ipv4"],
  ["fd00:ec2::254", 128, "ipv6"],
];

/** Not the public internet. */
const notPublic: readonly Range[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["240.0.0.0", 4, "ipv4"],
  ["::", 128, "ipv6"],
  ["::1", 128, "ipv6"],
  ["100::", 64, "ipv6"],
  // Tunnels (Teredo) lead to wherever their other end says.
  ["2001::", 32, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["fec0::", 10, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

type Range = readonly [address: string, prefixBits: number, family: "ipv4" | "ipv6"];

export type AddressKind = "public" | "private" | "metadata";

/**
 * What an IP address is. IPv4 inside IPv6 (NAT64, 6to4) counts as the IPv4 it carries; mapped addresses (`::ffff:0:0/96`) are
 * a way of one machine to write its own sockets down, and no address of the internet.
 */
export function addressKind(address: string): AddressKind {
  const plain = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 0) return "private";
  if (version === 6) {
    const carried = carriedIpv4(plain);
    if (carried !== undefined) {
      const kind = addressKind(carried);
      return isMapped(plain) && kind === "public" ? "private" : kind;
    }
  }
  const family = version === 4 ? "ipv4" : "ipv6";
  if (listOf(metadata).check(plain, family)) return "metadata";
  return listOf(notPublic).check(plain, family) ? "private" : "public";
}

function isMapped(address: string): boolean {
  const words = expand(address) ?? [];
  return words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
}

function carriedIpv4(address: string): string | undefined {
  const words = expand(address);
  if (words === undefined) return undefined;
  const isMapped =
    words.slice(0, 5).every((word) => word === 0) && (words[5] === 0xffff || (words[5] === 0 && (words[6] ?? 0) !== 0));
  const isNat64 = words[0] === 0x64 && words[1] === 0xff9b;
  if (isMapped || isNat64) return fromWords(words[6] ?? 0, words[7] ?? 0);
  return words[0] === 0x2002 ? fromWords(words[1] ?? 0, words[2] ?? 0) : undefined;
}

function fromWords(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight words of an IPv6 address. */
function expand(address: string): readonly number[] | undefined {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text =
    dotted === null
      ? address
      : `${dotted[1]}${(Number(dotted[2]) * 256 + Number(dotted[3])).toString(16)}:${(Number(dotted[4]) * 256 + Number(dotted[5])).toString(16)}`;
  const [head = "", tail] = text.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const words = [...left, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...right].map((word) =>
    Number.parseInt(word, 16),
  );
  return words.length === 8 && words.every((word) => Number.isInteger(word)) ? words : undefined;
}

/** Made when an address is judged: most processes judge none, and the lists are short. */
function listOf(ranges: readonly Range[]): BlockList {
  const blocks = new BlockList();
  for (const [address, prefixBits, family] of ranges) blocks.addSubnet(address, prefixBits, family);
  return blocks;
}
