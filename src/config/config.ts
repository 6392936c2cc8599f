import type { configRoot } from "./sections/root.ts";
import type { ValueOf } from "./sections/setting.ts";

/** Every setting with its effective value; deeply frozen, credentials held as `Secret`. */
export type Config = ValueOf<typeof configRoot>;
