/** Names that models write now and then; what is not here stays as it was written. */
const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ensp: " ", emsp: " ", thinsp: " " },
  ...{ copy: "©", reg: "®", trade: "™", sect: "§", para: "¶", deg: "°", micro: "µ", middot: "·", bull: "•" },
  ...{ hellip: "…", ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»" },
  ...{ cent: "¢", pound: "£", yen: "¥", euro: "€", times: "×", divide: "÷", plusmn: "±", minus: "−", radic: "√" },
  ...{ frac12: "½", frac14: "¼", frac34: "¾", sup1: "¹", sup2: "²", sup3: "³", infin: "∞", sum: "∑", prod: "∏" },
  ...{ ne: "≠", le: "≤", ge: "≥", asymp: "≈", equiv: "≡", isin: "∈", cap: "∩", cup: "∪", sub: "⊂", sup: "⊃" },
  ...{ larr: "←", uarr: "↑", rarr: "→", darr: "↓", harr: "↔", lArr: "⇐", rArr: "⇒", hArr: "⇔", check: "✓" },
  ...{ alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", lambda: "λ", mu: "μ", pi: "π", sigma: "σ" },
  ...{ phi: "φ", omega: "ω", Delta: "Δ", Sigma: "Σ", Omega: "Ω", part: "∂", nabla: "∇", int: "∫", forall: "∀" },
  ...{ auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è" },
};

/** Character references as characters: by name, or by number (`&#169;`, `&#xa9;`). Control characters stay written out. */
export function readEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,8}));/g, (whole, ...found) => {
    const [decimal, hex, name] = found as readonly (string | undefined)[];
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    const isShown = code >= 0x20 && code <= 0x10_ff_ff && !(code >= 0x7f && code < 0xa0) && !isHalf(code);
    return isShown ? String.fromCodePoint(code) : whole;
  });
}

/** Half of a surrogate pair is no character. */
function isHalf(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdf_ff;
}
