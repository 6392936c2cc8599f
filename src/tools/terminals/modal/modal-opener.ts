import type { TerminalOpener } from "../../contract/terminal.ts";
import type { BackendDeps } from "../remote/backend.ts";
import { directModalOpener } from "./modal-terminal.ts";

export function modalOpener(deps: BackendDeps): TerminalOpener {
  return directModalOpener(deps);
}
