import { shortWindow } from "#foundation/text/figures";

/** Room the summary itself and its instructions need besides the text that is summarised. */
const reservedTokens = 8_000;

/**
 * A compression model with a smaller window than the main one cannot read everything that would be
 * compressed. Then the threshold comes down for this session, and the person is told.
 */
export function compressionThreshold(input: {
  readonly thresholdTokens: number;
  readonly compressionWindow: number;
  readonly compressionModel: string;
}): { readonly thresholdTokens: number; readonly warning?: string } {
  const room = Math.max(reservedTokens, input.compressionWindow - reservedTokens);
  if (input.thresholdTokens <= room) return { thresholdTokens: input.thresholdTokens };
  return {
    thresholdTokens: room,
    warning: `${input.compressionModel} reads only ${shortWindow(input.compressionWindow)} tokens, so this session is compressed from ${shortWindow(room)} on instead of ${shortWindow(input.thresholdTokens)}. Choose a larger model under auxiliary.compression.model to change that.`,
  };
}
