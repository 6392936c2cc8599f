/**
 * What a variable does. `switch` steers one process and has no key; `override` beats the file, `gap` fills
 * what the file leaves open, `provider` is read where a provider is chosen, `secret` is a credential,
 * `dead` has no effect any more.
 */
export type EnvironmentVariable = { readonly name: string; readonly description: string } & (
  | { readonly kind: "switch" | "provider" | "secret" }
  | { readonly kind: "override" | "gap"; readonly key: string }
  | { readonly kind: "dead"; readonly replacement: string }
);

export const processSwitch = (name: string, description: string): EnvironmentVariable => ({
  kind: "switch",
  name,
  description,
});

export const override = (name: string, key: string, description = `Overrides ${key}.`): EnvironmentVariable => ({
  kind: "override",
  name,
  key,
  description,
});

export const gap = (name: string, key: string): EnvironmentVariable => ({
  kind: "gap",
  name,
  key,
  description: `Fills ${key} where the file does not set it.`,
});

export const dead = (name: string, replacement: string): EnvironmentVariable => ({
  kind: "dead",
  name,
  replacement,
  description: `Has no effect any more; use ${replacement}.`,
});
