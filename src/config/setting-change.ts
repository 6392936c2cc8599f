import type { KeyPath } from "./key-path.ts";

/** One wish of a person about one key. */
export type SettingChange =
  | { readonly kind: "set"; readonly path: KeyPath; readonly value: unknown }
  | { readonly kind: "unset"; readonly path: KeyPath };
