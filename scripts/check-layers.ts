import path from "node:path";
import { findLayerFaults } from "./layers.ts";

const faults = findLayerFaults(path.join(import.meta.dirname, "..", "src"));
for (const fault of faults) console.error(`src/${fault.file}:${fault.line}  "${fault.specifier}": ${fault.problem}`);
if (faults.length > 0) console.error(`${faults.length} imports break the layers of ARCHITECTURE.md`);
process.exitCode = faults.length > 0 ? 1 : 0;
