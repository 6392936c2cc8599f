// Turns what a terminal shows (text with colour codes) into a page that looks the same.

const base = ["#1b1d23", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0"];
const bright = ["#7f848e", "#ff7b86", "#b5e890", "#ffd58a", "#7cc4ff", "#e08cf5", "#6fd3df", "#ffffff"];
const paper = "#15171c";
const ink = "#d7dae0";

/** @param {string} screen the lines of a screen, with colour codes. */
export function pageOf(screen) {
  let style = {};
  const rows = screen.split("\n").map((line) => {
    const painted = paintLine(line, style);
    style = painted.style;
    return `<div>${painted.html}</div>`;
  });
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; background: ${paper}; }
    #screen { display: inline-block; padding: 14px 18px; background: ${paper}; color: ${ink}; font: 15px/19px "DejaVu Sans Mono", Menlo, Consolas, monospace; }
    #screen div { height: 19px; white-space: pre; }
    i { display: inline-block; font-style: normal; text-align: center; height: 19px; vertical-align: top; overflow: visible; }
    .one { width: 1ch; } .tight { width: 9px; font-size: 9px; } .two { width: 2ch; font-size: 13px; }
  </style><div id="screen">${rows.join("")}</div>`;
}

function paintLine(line, before) {
  let style = before;
  let html = "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
  for (const [, codes, text] of line.matchAll(/\x1b\[([\d;:]*)m|([^\x1b]+)/g)) {
    if (text === undefined) style = nextStyle(style, codes ?? "");
    else html += `<span style="${cssOf(style)}">${cells(text)}</span>`;
  }
  return { html, style };
}

/** Letters stand by themselves; everything else is held to the width of its cells. */
function cells(text) {
  return [...text]
    .map((sign) => {
      if (/[\x20-\x7e\u2500-\u259f]/.test(sign)) return sign.replace("&", "&amp;").replace("<", "&lt;");
      const kind = /\p{Emoji_Presentation}/u.test(sign) ? "two" : /[\u23e9-\u23fa]/.test(sign) ? "tight" : "one";
      return `<i class="${kind}">${sign}</i>`;
    })
    .join("");
}

function nextStyle(style, codes) {
  const numbers = codes === "" ? [0] : codes.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at];
    if (code === 38 || code === 48) {
      const { colour, used } = extended(numbers.slice(at + 1));
      next = { ...next, [code === 38 ? "front" : "back"]: colour };
      at += used;
    } else next = simple(next, code);
  }
  return next;
}

function simple(style, code) {
  if (code === 0) return {};
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, front: undefined };
  if (code === 49) return { ...style, back: undefined };
  const flag = { 1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 9: "struck" }[code];
  if (flag !== undefined) return { ...style, [flag]: true };
  const off = { 23: "italic", 24: "underline", 27: "inverse", 29: "struck" }[code];
  if (off !== undefined) return { ...style, [off]: false };
  if (code >= 30 && code <= 37) return { ...style, front: base[code - 30] };
  if (code >= 40 && code <= 47) return { ...style, back: base[code - 40] };
  if (code >= 90 && code <= 97) return { ...style, front: bright[code - 90] };
  if (code >= 100 && code <= 107) return { ...style, back: bright[code - 100] };
  return style;
}

function extended([kind, first = 0, second = 0, third = 0]) {
  if (kind === 2) return { colour: `rgb(${first},${second},${third})`, used: 4 };
  return { colour: indexed(first), used: 2 };
}

function indexed(number) {
  if (number < 8) return base[number];
  if (number < 16) return bright[number - 8];
  if (number >= 232) return `rgb(${Array(3).fill(8 + (number - 232) * 10)})`;
  const level = (step) => (step === 0 ? 0 : 55 + step * 40);
  const cube = number - 16;
  return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
}

function cssOf({ front = ink, back, bold, dim, italic, underline, struck, inverse }) {
  const [text, ground] = inverse ? [back ?? paper, front] : [front, back];
  return [
    `color:${text}`,
    ground === undefined ? "" : `background:${ground}`,
    bold ? "font-weight:bold" : "",
    dim ? "opacity:.62" : "",
    italic ? "font-style:italic" : "",
    underline || struck ? `text-decoration:${underline ? "underline" : "line-through"}` : "",
  ]
    .filter(Boolean)
    .join(";");
}
