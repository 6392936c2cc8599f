import { defineLayer } from "../layer.ts";

/** That service tells its models a wrong name, and they repeat it. */
const misreportingProvider = "alibaba";

export const modelIdentityLayer = defineLayer({
  name: "model-identity",
  pick: (all) => (all.provider.toLowerCase() === misreportingProvider ? all.model : ""),
  render: (model) =>
    model === ""
      ? ""
      : `The model speaking here is ${model}. If someone asks which model you are, give this name, whatever the service says.`,
});
