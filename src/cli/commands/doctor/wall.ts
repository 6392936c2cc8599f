import { openMachine } from "#config";
import { openTools } from "#tools";
import { version } from "../../version.ts";
import type { Check, Examine } from "./check.ts";
import { doorsBesideTools } from "./wall-doors.ts";

const section = "The wall";

const install =
  process.platform === "linux"
    ? "Install bubblewrap and util-linux (apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap); inside a container allow user namespaces, or set terminal.backend to docker."
    : "On macOS the sandbox is part of the system; elsewhere use a Linux machine or terminal.backend: docker.";

/** What holds programs of the model inside, tried for real in this folder. */
export const examineWall: Examine = async ({ invocation, parts }) => {
  const { env, cwd, signal } = invocation.io;
  await using machine = await openMachine({ env, cwd, version, loaded: parts.loaded, onNotice: () => undefined });
  await using toolbox = openTools(machine);
  const isOff = parts.loaded.config.terminal.sandbox === "off";
  const lines = await toolbox.testWall(cwd, doorsBesideTools(invocation, toolbox), signal);
  return lines.map(
    ({ name, state, detail }): Check => ({
      section,
      name,
      state: state === "holds" ? "ok" : state === "broken" ? "failed" : "warning",
      detail,
      isSecurity: true,
      ...(name === "sandbox" ? { hint: isOff ? "hermes config set terminal.sandbox auto" : install } : {}),
    }),
  );
};
