import { terminalContract } from "./contract.ts";
import { findApptainer } from "./peers/apptainer.ts";

terminalContract(findApptainer());
