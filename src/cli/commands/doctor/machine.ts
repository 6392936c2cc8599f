import { findProxyProblems } from "#foundation/http/request";
import { findExecutable, isContainer, isWsl } from "#foundation/process/platform";
import { checkoutFolder } from "../../support/checkout.ts";
import { version } from "../../version.ts";
import type { Check, Examine } from "./check.ts";

const programs: readonly (readonly [string, string])[] = [
  ["git", "worktrees and plugins from git"],
  ["rg", "searching in files; a copy comes with Hermes"],
  ["docker", "the docker terminal"],
  ["ssh", "the ssh terminal"],
  ["ffmpeg", "voice messages"],
  ["bwrap", "the sandbox of the local terminal"],
];

/** The runtime and what is installed around it. */
export const examineMachine: Examine = async ({ invocation, parts }) => {
  const { env } = invocation.io;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNodeGood = major > 20 || (major === 20 && minor >= 19);
  const where = [
    `${process.platform} ${process.arch}`,
    ...(isWsl() ? ["WSL"] : []),
    ...(isContainer() ? ["container"] : []),
  ];
  const hermes = findExecutable("hermes", env);
  const checkout = checkoutFolder();
  const { backend } = parts.loaded.config.terminal;
  return [
    {
      section: "Runtime",
      name: "Node",
      state: isNodeGood ? "ok" : "failed",
      detail: process.versions.node,
      hint: "Hermes needs Node 20.19 or newer.",
    },
    { section: "Runtime", name: "Hermes", state: "ok", detail: `${version}, ${where.join(", ")}` },
    {
      section: "Runtime",
      name: "command on the PATH",
      state: hermes === undefined ? "warning" : "ok",
      detail: hermes ?? "hermes is not found",
      hint: checkout === undefined ? "Run: npm install -g hermes-ts" : `Run: cd ${checkout} && npm link`,
    },
    ...programs
      .filter(([name]) => name !== "bwrap" || process.platform === "linux")
      .map(([name, use]): Check => {
        const found = findExecutable(name, env);
        const isNeeded = name === backend;
        const state = found !== undefined ? "ok" : isNeeded ? "failed" : "warning";
        return { section: "Programs", name, state, detail: found ?? "not found", hint: `Needed for ${use}.` };
      }),
    browserCheck(env),
    ...findProxyProblems(env).map(({ name, message }): Check => {
      return { section: "Network", name, state: "failed", detail: message, hint: `Correct or unset ${name}.` };
    }),
  ];
};

function browserCheck(env: NodeJS.ProcessEnv): Check {
  const found = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"].find(
    (name) => findExecutable(name, env) !== undefined,
  );
  return {
    section: "Programs",
    name: "browser",
    state: found === undefined ? "warning" : "ok",
    detail: found ?? "not found",
    hint: "Needed for the browser tools: install Chromium or Chrome, or set browser.cdp_url.",
  };
}
