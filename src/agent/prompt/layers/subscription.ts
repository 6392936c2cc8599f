import { defineLayer } from "../layer.ts";

/** Says which tools the Nous subscription pays for, so that the model does not ask the user for keys. */
export const subscriptionLayer = defineLayer({
  name: "subscription",
  pick: (all) =>
    (all.managedCapabilities ?? [])
      .filter(({ toolNames }) => toolNames.some((name) => all.toolNames.includes(name)))
      .map(({ label, isActive }) => ({ label, isActive })),
  render: (capabilities) => {
    if (!capabilities.some(({ isActive }) => isActive)) return "";
    const lines = capabilities.map(({ label, isActive }) =>
      isActive ? `- ${label}: included, no API key needed` : `- ${label}: not included, uses the user's own key`,
    );
    return ["Tools managed by the user's Nous subscription:", ...lines].join("\n");
  },
});
