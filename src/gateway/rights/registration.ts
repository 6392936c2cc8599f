/** What the names of leases begin with by which processes say that they do the work of a role. */
export function registrations(role: string): string {
  return `gateway:${role}:`;
}
