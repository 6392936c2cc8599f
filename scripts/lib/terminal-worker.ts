// Works in a terminal elsewhere until it is killed; see prove-terminals.ts. Says one line when its terminal is about to be opened.
import { userInfo } from "node:os";
import path from "node:path";
import { backend } from "../../test/contracts/terminal/peers/backend.ts";

const {
  PROVE_KIND: kind = "",
  PROVE_FOLDER: folder = "",
  PROVE_PROGRAM: program = "",
  PROVE_PORT: port = "22",
} = process.env;
const round = process.env["HERMES_PROVE_ROUND"] ?? "0";
const signal = new AbortController().signal;

const open = await backend(kind, {
  sandboxDir: kind === "docker" ? path.join(folder, "sandboxes") : folder,
  settings:
    kind === "docker"
      ? { docker_image: "localhost/hermes-test:1", docker_network: "none", container_memory: 512 }
      : {
          ssh_host: "127.0.0.1",
          ssh_user: userInfo().username,
          ssh_port: Number(port),
          ssh_key: path.join(folder, "key"),
          ssh_options: [`UserKnownHostsFile=${path.join(folder, "known_hosts")}`],
        },
  env: kind === "docker" ? { HERMES_DOCKER_BINARY: program } : {},
});
process.stdout.write("opening\n");
const terminal = await open({ taskId: "prove" });
for (;;) {
  await terminal.files.write(`${terminal.home}/kept-file`, Buffer.from(`round ${round} whole\n`), signal);
  await terminal.exec("setsid sleep 70501 >/dev/null 2>&1 & sleep 70501 & sleep 0.2", { timeoutMs: 5_000, signal });
}
