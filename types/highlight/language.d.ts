import type { LanguageFn } from "./core.d.ts";

declare const language: LanguageFn;
// biome-ignore lint/style/noDefaultExport: the module has one
export default language;
