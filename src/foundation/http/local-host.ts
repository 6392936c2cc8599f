/** A server on this machine, by its host: what is said to it never leaves. Names below `localhost` are not meant. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}
