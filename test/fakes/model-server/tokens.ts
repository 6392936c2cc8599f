/** The only token count of this server: four UTF-8 bytes are one token, the rest rounds up. */
export function tokensInBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}

export function tokensIn(text: string): number {
  return tokensInBytes(Buffer.byteLength(text, "utf8"));
}
