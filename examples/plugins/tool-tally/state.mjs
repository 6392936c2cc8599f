/** What both parts of the plugin know: the hook writes it, the terminal shows it. */
export const tally = new Map();
