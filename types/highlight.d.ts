/**
 * The part of highlight.js that is used here. Its own declarations pull in those of browsers, and with
 * them the whole project would be checked against a browser's globals instead of Node's.
 */
declare module "highlight.js" {
  export type LanguageFn = (api: HLJSApi) => unknown;

  export interface HLJSApi {
    registerLanguage(name: string, language: LanguageFn): void;
    getLanguage(name: string): unknown;
    highlight(
      code: string,
      options: { readonly language: string; readonly ignoreIllegals?: boolean },
    ): { readonly value: string };
  }
}

declare module "highlight.js/lib/core" {
  import type { HLJSApi } from "highlight.js";

  const library: HLJSApi;
  export default library;
}

declare module "highlight.js/lib/languages/*" {
  import type { LanguageFn } from "highlight.js";

  const language: LanguageFn;
  export default language;
}
