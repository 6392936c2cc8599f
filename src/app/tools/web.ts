import {
  type BuiltinDeps,
  createSafeFetch,
  type ManagedGateway,
  PageThread,
  type SafeFetch,
  type UrlRules,
} from "#tools";
import { folderFiles } from "./task-files.ts";
import type { ToolboxBase } from "./toolbox-options.ts";

export interface Web {
  readonly deps: NonNullable<BuiltinDeps["web"]>;
  readonly fetch: SafeFetch;
}

/** Searching and reading the web: with the configured service, or with what needs no key. */
export function openWeb(base: ToolboxBase, rules: UrlRules, gateway: ManagedGateway): Web {
  const { options, config, env, scope } = base;
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
      files: folderFiles(options.home.at("cache", "pages"), options),
    },
  };
}
