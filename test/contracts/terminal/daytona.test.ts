import { terminalContract } from "./contract.ts";
import { findDaytona } from "./peers/daytona.ts";

terminalContract(findDaytona());
