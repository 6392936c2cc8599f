import type { Button } from "../../platform/outbound.ts";
import type { Fields } from "../support/fields.ts";

const styles = { normal: "default", primary: "primary", danger: "danger" } as const;

/** A card that can change after it was sent, with the buttons of a question where there is one. */
export function cardOf(markdown: string, buttons: readonly (readonly Button[])[] = []): Fields {
  return {
    // Only a card that is the same for all may be changed later.
    config: { wide_screen_mode: true, update_multi: true },
    elements: [
      { tag: "markdown", content: markdown },
      ...buttons.map((row) => ({
        tag: "action",
        actions: row.map(({ label, data, style = "normal" }) => ({
          tag: "button",
          text: { tag: "plain_text", content: label },
          type: styles[style],
          value: { hermes_action: data },
        })),
      })),
    ],
  };
}
