import type { CommandLine, SimpleCommand } from "../../shell/simple-command.ts";
import { keys } from "./keys.ts";
import type { PathLocation } from "./paths.ts";
import { riskKeys } from "./programs/risks/match.ts";
import { runsCloned } from "./rules/cloned.ts";
import { codeKeys } from "./rules/code.ts";
import { environmentKeys } from "./rules/environment.ts";
import { fillsElsewhere, servesElsewhere, takesFromElsewhere } from "./rules/fetching.ts";
import { fileKeys } from "./rules/files.ts";
import { namingKeys, type Resolve } from "./rules/naming.ts";
import { particularKeys } from "./rules/particular.ts";
import { runningKeys } from "./rules/running.ts";
import { sendingKeys } from "./rules/sending.ts";
import { staysBehind } from "./rules/staying.ts";
import { tellsSecret } from "./rules/telling.ts";

/** What judging effects needs to know of where a command runs. */
export interface JudgeLocation extends PathLocation {
  /** Where a program of this name is found outside folders that a session may write; undefined when nowhere. */
  resolve?: Resolve | undefined;
  /** The text of a file that this session wrote, by its absolute path. */
  readWritten?: ((path: string) => string | undefined) | undefined;
}

/** Everything a command does that somebody should be asked about, whatever it is called. */
export function effectKeys(command: SimpleCommand, location: JudgeLocation, line: CommandLine): readonly string[] {
  const name = command.name ?? "";
  return [
    ...(line.unknownScripts.has(command) || runsCloned(command, line, location) ? [keys.unknownScript] : []),
    ...namingKeys(command, location),
    ...(name === "" ? [] : riskKeys(name, command.args)),
    ...fileKeys(command, location),
    ...sendingKeys(command),
    ...runningKeys(command, location),
    ...environmentKeys(command, location),
    ...particularKeys(command, location),
    ...takesFromElsewhere(command),
    ...servesElsewhere(command, location),
    ...fillsElsewhere(command),
    ...(tellsSecret(command, line) ? [keys.secret] : []),
    ...(staysBehind(command, line) ? [keys.persistence] : []),
    ...codeKeys(command, location),
  ];
}
