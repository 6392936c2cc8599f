import type { Check, Examine } from "./check.ts";
import { examineStoredSandboxes } from "./stored-sandboxes.ts";

/** Where commands run: which kind, whether it can be reached, what it keeps. */
export const examineTerminal: Examine = async (patient) => {
  const { invocation, parts } = patient;
  const stored = await examineStoredSandboxes(parts.loaded.config.terminal, parts.home, invocation.io.signal);
  return [...(await examineBackend(patient)), ...stored];
};

const examineBackend: Examine = async ({ invocation, parts, isOffline }) => {
  const { createManagedGateway, reachTerminal, terminalFacts } = await import("#tools");
  const settings = parts.loaded.config.terminal;
  const { kind, target, keeps } = terminalFacts(settings);
  const about: Check = {
    section: "Terminal",
    name: kind,
    state: "ok",
    detail: `${target === undefined ? "" : `${target}, `}keeps ${keeps}`,
  };
  if (kind === "local" || (isOffline && kind === "ssh")) return [about];
  const { env, signal } = invocation.io;
  const subscription = createManagedGateway({ env, login: (during) => parts.models.subscription(during) });
  const reached = await reachTerminal(settings, { env, subscription }, signal);
  if (reached.kind === "unreachable") {
    return [
      about,
      { section: "Terminal", name: "reachable", state: "failed", detail: reached.detail, hint: reached.hint },
    ];
  }
  const { detail, warning } = reached;
  if (warning === undefined) return [about, { section: "Terminal", name: "reachable", state: "ok", detail }];
  return [
    about,
    { section: "Terminal", name: "reachable", state: "warning", detail: warning, hint: `Through ${detail}.` },
  ];
};
