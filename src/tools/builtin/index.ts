import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Tool } from "../contract/tool.ts";
import type { BuiltinDeps, BuiltinTools } from "./builtin-deps.ts";
import { builtins } from "./index.generated.ts";

/**
 * All built-in tools that can be made of what is given, in the order of their files. A new `*.tool.ts`
 * file with an export `builtin` is part of it after `npm run generate:tools` (or a build). A file whose tools
 * cannot be made costs only its own.
 */
export function createBuiltinTools(
  deps: BuiltinDeps,
  logger: Logger,
  files: Readonly<Record<string, BuiltinTools>> = builtins,
): readonly Tool[] {
  return Object.entries(files).flatMap(([name, create]) => {
    try {
      return create(deps);
    } catch (error) {
      logger.warn("built-in tools could not be made", { file: name, error: describe(error) });
      return [];
    }
  });
}
