import { linkTo } from "../shell/route.tsx";
import type { Frame } from "./frames.tsx";

/** Does what a command leaves to the page: another conversation, a text for the clipboard. */
export function actOn(frame: Frame): void {
  if (frame.type !== "reply" || frame.kind !== "command" || frame.view.kind !== "surface") return;
  const { do: what, id, text } = frame.view.action;
  if (what === "switch-session" && id !== undefined) window.location.hash = linkTo("chat", id);
  // Where the browser does not allow it, the text is still on the screen.
  if (what === "copy" && text !== undefined) void navigator.clipboard?.writeText(text).catch(() => undefined);
}
