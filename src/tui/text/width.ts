import { displayWidth as exactWidth } from "#foundation/text/width";

/**
 * Letters, arrows, box drawing and symbols that take one column each, wherever they stand. Frames are full of them, and
 * counting them this way keeps the segmentation of characters, which is slow to load, out of the first frame.
 */
const single =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u2319\u231c-\u2328\u232b-\u23e8\u23ed-\u23ef\u23f1\u23f2\u23f4-\u25fc\u25ff-\u2613\u2616-\u262f\u2638-\u2647\u2654-\u267e\u2680-\u2689\u2690-\u2692\u2694-\u26a0\u26a2-\u26a9\u26ac-\u26bc\u26bf-\u26c3\u26c6-\u26cd\u26cf-\u26d3\u26d5-\u26e9\u26eb-\u26f1\u26f4\u26f6-\u26f9\u26fb\u26fc\u26fe-\u2704\u2706-\u2709\u270c-\u2727\u2729-\u274b\u274d\u274f-\u2752\u2756\u2758-\u2794\u2798-\u27af\u27b1-\u27be\u27c0-\u2b1a\u2b1d-\u2b4f]*$/;

/** Columns the text takes in a terminal. */
export function displayWidth(text: string): number {
  return single.test(text) ? text.length : exactWidth(text);
}
