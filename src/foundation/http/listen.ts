import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemErrorCode, UserError } from "../errors.ts";

/** Listens and gives the port it got; a port that is taken is a {@link UserError} with the hint of whoever asked. */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  hintWhenTaken: string,
): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host.replace(/[[\]]/g, ""), () => resolve());
    });
  } catch (cause) {
    if (systemErrorCode(cause) !== "EADDRINUSE") throw cause;
    throw new UserError(`Port ${port} of ${host} is in use.`, { hint: hintWhenTaken, code: "port_in_use", cause });
  }
  return (server.address() as AddressInfo).port;
}
