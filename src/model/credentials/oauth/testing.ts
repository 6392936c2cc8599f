import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "#foundation/testing/fake-clock";
import { AuthFile } from "../auth-file.ts";
import type { FlowContext, LoginUi } from "./flow.ts";

export interface FlowWorld extends Disposable {
  readonly folder: string;
  readonly clock: FakeClock;
  readonly context: FlowContext;
}

export function openFlowWorld(env: Readonly<Record<string, string>> = {}): FlowWorld {
  const folder = mkdtempSync(join(tmpdir(), "hermes-oauth-"));
  const clock = new FakeClock(Date.UTC(2026, 3, 1), { autoAdvance: true });
  const authFile = new AuthFile({ path: join(folder, "auth.json"), clock });
  return {
    folder,
    clock,
    context: { authFile, clock, env: { PATH: folder, ...env }, userHome: folder, hermesHome: folder },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface TestUi extends LoginUi {
  readonly shown: { readonly url: string; readonly userCode?: string }[];
  readonly opened: string[];
}

/** A person who agrees, opens nothing and pastes what they are told to. */
export function testUi(change: Partial<LoginUi> = {}): TestUi {
  const shown: { readonly url: string; readonly userCode?: string }[] = [];
  const opened: string[] = [];
  return {
    isHeadless: false,
    confirm: async () => true,
    showPage: (page) => void shown.push({ ...page }),
    openBrowser: async (url) => {
      opened.push(url);
      return true;
    },
    paste: async () => "",
    shown,
    opened,
    ...change,
  };
}
