/**
 * The part of highlight.js that is used here. Its own declarations pull in those of browsers, and with
 * them the whole project would be checked against a browser's globals instead of Node's.
 */
export type LanguageFn = (api: HLJSApi) => unknown;

export interface HLJSApi {
  registerLanguage(name: string, language: LanguageFn): void;
  getLanguage(name: string): unknown;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals?: boolean },
  ): { readonly value: string };
}

declare const library: HLJSApi;
// biome-ignore lint/style/noDefaultExport: the module has one
export default library;
