import { shortWindow } from "#foundation/text/figures";

/** Room the summary itself and its instructions need besides the text that is summarised. */
const reservedTokens = 8_000;

/**
 * A compression model with a smaller window than the main one cannot read everything that would be
 * compressed. Then the threshold comes down for this session, and the person is told.
 */
export function compressionThreshold(given: {
  readonly thresholdTokens: number;
  readonly compressionWindow: number;
  readonly compressionModel: string;
}): { readonly thresholdTokens: number; readonly warning?: string } {
  const room = Math.max(reservedTokens, given.compressionWindow - reservedTokens);
  if (given.thresholdTokens <= room) return { thresholdTokens: given.thresholdTokens };
  return {
    thresholdTokens: room,
    warning: `${given.compressionModel} reads only ${shortWindow(given.compressionWindow)} tokens, so this session is compressed from ${shortWindow(room)} on instead of ${shortWindow(given.thresholdTokens)}. Choose a larger model under auxiliary.compression.model to change that.`,
  };
}
