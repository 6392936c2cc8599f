import { terminalContract } from "./contract.ts";
import { findManagedModal } from "./peers/managed-modal.ts";

terminalContract(findManagedModal());
