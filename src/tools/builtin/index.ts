import type { Tool } from "../tool.ts";
import type { BuiltinDeps } from "./builtin-deps.ts";
import { builtins } from "./index.generated.ts";

/**
 * All built-in tools that can be made of what is given, in the order of their files. A new `*.tool.ts`
 * file with an export `builtin` is part of it after `npm run generate:tools` (or a build).
 */
export function createBuiltinTools(deps: BuiltinDeps): readonly Tool[] {
  return builtins.flatMap((create) => create(deps));
}
