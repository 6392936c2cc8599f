import { defineLayer } from "../layer.ts";
import { platformHint } from "../platform-hints.ts";

export const platformLayer = defineLayer({
  name: "platform",
  pick: (all) => all.platform ?? "",
  render: (platform) => platformHint(platform) ?? "",
});
