import type { BuiltinDeps } from "../builtin/builtin-deps.ts";
import type { WebExits } from "../confinement/web-exits.ts";
import { folderFiles } from "../files/task-files.ts";
import { createSafeFetch, type SafeFetch } from "../network/safe-fetch.ts";
import type { UrlRules } from "../network/urls.ts";
import type { ManagedGateway } from "../web/managed-gateway.ts";
import { PageThread } from "../web/reader/page-thread.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface Web {
  readonly deps: NonNullable<BuiltinDeps["web"]>;
  readonly fetch: SafeFetch;
}

export interface OpenWebOptions {
  readonly rules: UrlRules;
  readonly gateway: ManagedGateway;
  readonly exits: WebExits;
}

/** Searching and reading the web: with the configured service, or with what needs no key. */
export function openWeb(base: ToolsBase, { rules, gateway, exits }: OpenWebOptions): Web {
  const { machine, config, env, scope } = base;
  const fetch = createSafeFetch(rules);
  // Pages are read in a thread of their own, which starts with the first of them.
  const pages = scope.adopt(new PageThread());
  return {
    fetch,
    deps: {
      web: {
        backend: config.web.backend,
        useGateway: config.web.use_gateway,
        env,
        gateway,
        fetch,
        readDocument: pages.read,
      },
      rules,
      exits,
      files: folderFiles(machine.home.at("cache", "pages"), machine),
    },
  };
}
