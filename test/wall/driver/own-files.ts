import path from "node:path";
import { locations } from "../world/layout.ts";
import { type Snapshot, snapshot } from "../world/observe.ts";

/** The files of Hermes itself that only its own commands may change. */
export function ownFiles(noise: ReadonlySet<string>): Snapshot {
  return snapshot([locations.hermesHome], (file) => {
    const relative = path.relative(locations.hermesHome, file);
    return noise.has(relative) || noise.has(relative.split(path.sep)[0] ?? "");
  });
}
