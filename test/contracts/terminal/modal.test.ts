import { terminalContract } from "./contract.ts";
import { findModal } from "./peers/modal.ts";

terminalContract(findModal());
