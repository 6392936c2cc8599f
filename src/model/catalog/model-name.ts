/** Vendors that stand before a model's own name: `anthropic/claude…`, `us.anthropic.claude…`, `models/gemini…`. */
const vendorPath = /^.*\//;
const bedrockRegion =
  /^(?:(?:us|eu|apac|global|jp|au|us-gov)\.)?(?:anthropic|amazon|meta|mistral|deepseek|qwen|openai|cohere|ai21)\./;
const releaseDate = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2}|latest)(?:-v\d+)?$/;
const bedrockVersion = /-v\d+(?::\d+)?$/;

/**
 * The name a model is compared by: lower case, no vendor, no release date, no routing suffix, and
 * dots as hyphens, since providers disagree on how to write `claude-opus-4.7`.
 */
export function plainModelName(model: string): string {
  return familyName(model).replace(bedrockVersion, "").replace(releaseDate, "");
}

/** Like {@link plainModelName} but keeps dates and versions; a family is recognised anywhere in it. */
export function familyName(model: string): string {
  return model
    .trim()
    .slice(0, 200)
    .toLowerCase()
    .replace(vendorPath, "")
    .replace(bedrockRegion, "")
    .replace(/:(?:free|nitro|floor|online|thinking|extended|beta|fastest|cheapest|exacto)$/, "")
    .replaceAll(".", "-");
}
