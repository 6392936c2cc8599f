import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Config } from "#config";

/** What a kind of terminal lacks before it can be tried at all, in words; undefined when nothing. Nothing is started to find out. */
export function terminalNeeds(
  kind: string,
  {
    settings,
    env,
    authFile,
  }: {
    readonly settings: Pick<Config["terminal"], "ssh_host" | "ssh_user" | "modal_mode">;
    readonly env: NodeJS.ProcessEnv;
    /** Where logins are kept. */
    readonly authFile: string;
  },
): string | undefined {
  if (kind === "ssh" && (settings.ssh_host === "" || settings.ssh_user === ""))
    return "the ssh terminal needs terminal.ssh_host and terminal.ssh_user";
  if (kind === "modal" && modalKey(env) === undefined && !mayBeManaged(settings.modal_mode, env, authFile))
    return "the modal terminal needs a key or a Nous subscription: set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, run `modal setup`, or log in with `hermes auth add nous`";
  if (kind === "daytona" && (env["DAYTONA_API_KEY"] ?? "") === "")
    return "the daytona terminal needs a key: set DAYTONA_API_KEY";
  return undefined;
}

/** Where the key for Modal comes from. */
export function modalKey(env: NodeJS.ProcessEnv): string | undefined {
  if ((env["MODAL_TOKEN_ID"] ?? "") !== "" && (env["MODAL_TOKEN_SECRET"] ?? "") !== "") return "MODAL_TOKEN_ID";
  const file = env["MODAL_CONFIG_PATH"] ?? path.join(env["HOME"] ?? homedir(), ".modal.toml");
  return existsSync(file) ? file : undefined;
}

/** Whether the login is one that pays is found out when a terminal is opened. */
function mayBeManaged(mode: Config["terminal"]["modal_mode"], env: NodeJS.ProcessEnv, authFile: string): boolean {
  return mode !== "direct" && ((env["TOOL_GATEWAY_USER_TOKEN"] ?? "") !== "" || existsSync(authFile));
}
