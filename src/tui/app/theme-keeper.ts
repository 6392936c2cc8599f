import { backgroundOf } from "../terminal/background.ts";
import type { TuiTerminal } from "../terminal/terminal.ts";
import { readSkin } from "../theme/read-skin.ts";
import type { Background, Skin } from "../theme/skin.ts";
import { builtInSkins, defaultSkin } from "../theme/skins.ts";
import { type ColorDepth, colorDepthOf, type StyleMap, sgrOf } from "../theme/style.ts";
import { stylesOf } from "../theme/styles.ts";

export interface SkinChange {
  readonly skin: Skin;
  readonly problems: readonly string[];
}

/** The skin in use, and how its classes look on this terminal. */
export class ThemeKeeper {
  readonly #depth: ColorDepth;
  readonly #readUserSkin: ((name: string) => Promise<string | undefined>) | undefined;
  #skin: Skin = defaultSkin;
  #background: Background;
  #styles: StyleMap;
  #codes = new Map<string, string>();

  constructor(
    terminal: Pick<TuiTerminal, "env" | "isTty">,
    readUserSkin?: ((name: string) => Promise<string | undefined>) | undefined,
  ) {
    this.#depth = colorDepthOf(terminal.env, terminal.isTty);
    this.#background = backgroundOf(terminal.env);
    this.#styles = stylesOf(defaultSkin, this.#background);
    this.#readUserSkin = readUserSkin;
  }

  get skin(): Skin {
    return this.#skin;
  }

  readonly sgr = (style: string | undefined): string => {
    if (style === undefined) return "";
    const known = this.#codes.get(style);
    if (known !== undefined) return known;
    const code = sgrOf(Object.hasOwn(this.#styles, style) ? this.#styles[style] : undefined, this.#depth);
    this.#codes.set(style, code);
    return code;
  };

  /** Built-in skins are there at once, which the first frame needs. */
  useBuiltIn(name: string): boolean {
    const skin = builtInSkins.find((one) => one.name === name);
    if (skin !== undefined) this.#use(skin);
    return skin !== undefined;
  }

  /** Any skin by name; what is wrong with it is told, and the current one stays when there is none. */
  async use(name: string): Promise<SkinChange> {
    if (this.useBuiltIn(name)) return { skin: this.#skin, problems: [] };
    const yaml = await this.#readUserSkin?.(name);
    if (yaml === undefined) {
      const names = builtInSkins.map((one) => one.name).join(", ");
      return { skin: this.#skin, problems: [`There is no skin "${name}". Built in: ${names}.`] };
    }
    const { skin, warnings } = await readSkin(name, yaml);
    this.#use(skin);
    return { skin, problems: warnings };
  }

  /** Lets extensions change the classes; to be called after every change of skin. */
  restyle(change: (base: StyleMap) => StyleMap): void {
    this.#styles = change(stylesOf(this.#skin, this.#background));
    this.#codes = new Map();
  }

  /** The terminal has said what lies behind its text. */
  useBackground(background: Background): void {
    this.#background = background;
    this.#use(this.#skin);
  }

  #use(skin: Skin): void {
    this.#skin = skin;
    this.#styles = stylesOf(skin, this.#background);
    this.#codes = new Map();
  }
}
