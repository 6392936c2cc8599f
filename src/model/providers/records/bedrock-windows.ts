/** Windows on Bedrock, which does not report them. The first key that the model id contains counts. */
const windows: readonly (readonly [key: string, tokens: number])[] = [
  ["claude-opus-4-7", 1_000_000],
  ["claude-opus-4-6", 1_000_000],
  ["claude-sonnet-4-6", 1_000_000],
  ["claude", 200_000],
  ["nova-premier", 1_000_000],
  ["nova-micro", 128_000],
  ["nova", 300_000],
  ["llama3-1", 128_000],
  ["llama3-2", 128_000],
  ["llama3-3", 128_000],
  ["llama4-scout", 3_500_000],
  ["llama4-maverick", 1_000_000],
  ["llama3", 8_192],
  ["mistral-large", 128_000],
  ["deepseek", 128_000],
  ["qwen3-coder", 262_144],
  ["titan-text-premier", 32_000],
];

export function bedrockWindow(model: string): number | undefined {
  const id = model.toLowerCase();
  return windows.find(([key]) => id.includes(key))?.[1];
}
