import { describe, UserError } from "#foundation/errors";
import type {
  InputArea,
  KeybindingOptions,
  KeybindingRegistry,
  LayoutSlots,
  TuiContext,
  TuiExtension,
  Widget,
} from "../extension.ts";
import type { KeyEvent } from "../input/key-event.ts";
import { canonicalKey, keymap, reservedKeys } from "../state/keymap.ts";
import { toLine } from "../text/styled.ts";
import type { StyleMap } from "../theme/style.ts";

interface Bound {
  readonly owner: TuiExtension;
  readonly keys: readonly string[];
  readonly run: (event: KeyEvent) => void;
  readonly options: KeybindingOptions;
}

/** Composes extensions, and keeps the UI alive when one of them throws: that one is switched off and named. */
export class ExtensionHost {
  #extensions: readonly TuiExtension[];
  readonly #context: TuiContext;
  readonly #onFault: (text: string) => void;
  readonly #off = new Set<TuiExtension>();
  #bindings: readonly Bound[] = [];
  #widgets: readonly Widget[] | undefined;

  constructor(extensions: readonly TuiExtension[], context: TuiContext, onFault: (text: string) => void) {
    this.#extensions = extensions;
    this.#context = context;
    this.#onFault = onFault;
  }

  get #active(): readonly TuiExtension[] {
    return this.#extensions.filter((extension) => !this.#off.has(extension));
  }

  registerKeys(inputArea: InputArea): void {
    for (const extension of this.#active) this.#registerKeysOf(extension, inputArea);
  }

  /** Extensions that were found while the terminal runs; they come after those that are there. */
  add(extensions: readonly TuiExtension[], inputArea: InputArea): void {
    this.#extensions = [...this.#extensions, ...extensions];
    this.#widgets = undefined;
    for (const extension of extensions) this.#registerKeysOf(extension, inputArea);
  }

  #registerKeysOf(extension: TuiExtension, inputArea: InputArea): void {
    this.#guard(extension, () =>
      extension.registerKeybindings?.(this.#registryOf(extension), { inputArea }, this.#context),
    );
  }

  /** Runs the binding of an extension for this key; true when there was one. */
  press(event: KeyEvent, stage: "eager" | "late"): boolean {
    const isBuiltIn = keymap.some((binding) => binding.keys.includes(event.key));
    for (const bound of this.#bindings) {
      if (this.#off.has(bound.owner) || !bound.keys.includes(event.key)) continue;
      const isEager = bound.options.eager === true || bound.options.override === true || !isBuiltIn;
      if (isEager !== (stage === "eager")) continue;
      const runs = this.#guard(bound.owner, () => bound.options.when?.() !== false);
      if (runs !== true) continue;
      this.#guard(bound.owner, () => bound.run(event));
      return true;
    }
    return false;
  }

  /** The widgets of all extensions, one after the other. */
  widgets(): readonly Widget[] {
    this.#widgets ??= this.#active.flatMap((extension) => {
      const widgets = this.#guard(extension, () => extension.extraWidgets?.(this.#context)) ?? [];
      return widgets.map((widget) => this.#safe(extension, widget));
    });
    return this.#widgets;
  }

  /** The first extension is outermost; each may call the next. Widgets they bring along are watched like all others. */
  layout(slots: LayoutSlots, base: (slots: LayoutSlots) => readonly Widget[]): readonly Widget[] {
    const known = new Set<Widget>([...base(slots), ...this.widgets()]);
    const build = this.#active.reduceRight<(slots: LayoutSlots) => readonly Widget[]>((next, extension) => {
      return (input) => {
        if (extension.buildLayout === undefined) return next(input);
        const own = this.#guard(extension, () => extension.buildLayout?.(input, next, this.#context)) ?? next(input);
        return own.map((widget) => (known.has(widget) ? widget : remember(known, this.#safe(extension, widget))));
      };
    }, base);
    return build(slots);
  }

  /** True: handled. False: leave. Undefined: nobody wanted it, the session may have it. */
  async command(line: string): Promise<boolean | undefined> {
    let isPassedOn = false;
    const run = this.#active.reduceRight<() => Promise<boolean>>(
      (next, extension) => async () => {
        if (extension.processCommand === undefined) return next();
        try {
          return await extension.processCommand(line, next, this.#context);
        } catch (error) {
          this.#disable(extension, error);
          return next();
        }
      },
      () => {
        isPassedOn = true;
        return Promise.resolve(true);
      },
    );
    const answer = await run();
    return isPassedOn ? undefined : answer;
  }

  styles(base: StyleMap): StyleMap {
    let styles = base;
    for (const extension of this.#active) {
      const own = this.#guard(extension, () => extension.styles?.(styles, this.#context));
      if (own !== undefined) styles = { ...styles, ...own };
    }
    return styles;
  }

  #registryOf(owner: TuiExtension): KeybindingRegistry {
    return {
      add: (keys, run, options = {}) => {
        const names = (typeof keys === "string" ? [keys] : keys).map(canonicalKey);
        const taken = names.find((name) => reservedKeys.includes(name));
        if (taken !== undefined && options.override !== true) {
          throw new UserError(`The key ${taken} is reserved.`, {
            hint: "Pass { override: true } to take it anyway.",
          });
        }
        const bound: Bound = { owner, keys: names, run, options };
        this.#bindings = [...this.#bindings, bound];
        return { [Symbol.dispose]: () => (this.#bindings = this.#bindings.filter((one) => one !== bound)) };
      },
    };
  }

  /** A widget that throws while it is drawn must not take the frame with it. */
  #safe(owner: TuiExtension, widget: Widget): Widget {
    return {
      id: widget.id,
      visible: () => !this.#off.has(owner) && this.#guard(owner, () => widget.visible?.() ?? true) === true,
      render: (width) => {
        const rows = this.#guard(owner, () => widget.render(width).map(toLine)) ?? [];
        const limit = this.#guard(owner, () => widget.height?.(width));
        return limit === undefined ? rows : rows.slice(0, limit);
      },
    };
  }

  #guard<T>(extension: TuiExtension, run: () => T): T | undefined {
    if (this.#off.has(extension)) return undefined;
    try {
      return run();
    } catch (error) {
      this.#disable(extension, error);
      return undefined;
    }
  }

  #disable(extension: TuiExtension, error: unknown): void {
    if (this.#off.has(extension)) return;
    this.#off.add(extension);
    this.#onFault(`The extension ${extension.name} failed and is switched off: ${describe(error)}`);
  }
}

function remember(known: Set<Widget>, widget: Widget): Widget {
  known.add(widget);
  return widget;
}
