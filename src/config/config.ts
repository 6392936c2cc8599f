import type { z } from "zod";
import type { Secret } from "#foundation/secrets/secret";
import type { configSchema } from "./schema.ts";

/** The settings as the schema gives them: checked, complete, not yet frozen. */
export type Settings = z.output<typeof configSchema>;

/** Every setting with its effective value; deeply frozen, credentials held as {@link Secret}. */
export type Config = DeepReadonly<Settings>;

export type DeepReadonly<T> = T extends Secret
  ? T
  : T extends (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;
