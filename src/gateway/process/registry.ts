import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import { isLeft, type Store, takeLease } from "#store";
import { registrations } from "../rights/registration.ts";
import type { Role } from "./roles.ts";

export interface RegistryDeps {
  readonly store: Pick<Store, "leases">;
  readonly roles: ReadonlySet<Role>;
  /** Names this process in leases. */
  readonly owner: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Registration extends AsyncDisposable {
  /** Others no longer count on this process. */
  leave(): Promise<void>;
}

/** That a process of the gateway runs and with which roles, said to all others on the store for as long as it lives. */
export async function registered(deps: RegistryDeps): Promise<Registration> {
  const nothing = (): void => undefined;
  const held = await Promise.all(
    [...deps.roles].map((role) => takeLease(deps, `${registrations(role)}${deps.owner}`, nothing)),
  );
  let left: Promise<unknown> | undefined;
  const leave = async (): Promise<void> => {
    left ??= Promise.all(held.map((one) => (one.kind === "held" ? one[Symbol.asyncDispose]() : undefined)));
    await left;
  };
  return { leave, [Symbol.asyncDispose]: leave };
}

/** Processes that do the work of a role now, wherever they run. */
async function processesOf(
  role: Role,
  { store, clock }: Pick<RegistryDeps, "store" | "clock">,
): Promise<readonly string[]> {
  const leases = await store.leases.held(registrations(role));
  return leases.filter((lease) => !isLeft(lease, clock.now())).map(({ owner }) => owner);
}

/** Whether another process runs turns too, and takes up what this one leaves. */
export async function otherWorkers(deps: Pick<RegistryDeps, "store" | "clock" | "owner">): Promise<boolean> {
  return (await processesOf("worker", deps)).some((owner) => owner !== deps.owner);
}
