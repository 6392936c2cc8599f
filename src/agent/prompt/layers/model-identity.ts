import { misreportsModel } from "#model";
import { defineLayer } from "../layer.ts";

/** Some services tell their models a wrong name, and they repeat it. */
export const modelIdentityLayer = defineLayer({
  name: "model-identity",
  pick: (all) => (misreportsModel(all.provider) ? all.model : ""),
  render: (model) =>
    model === ""
      ? ""
      : `The model speaking here is ${model}. If someone asks which model you are, give this name, whatever the service says.`,
});
