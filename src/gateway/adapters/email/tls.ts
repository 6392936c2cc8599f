const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/iu;

/** A server on this machine: what is said to it never leaves. Certificates of all others are checked. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}
