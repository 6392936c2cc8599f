import type { RunTuiOptions } from "./app/options.ts";
import type { InputArea, KeybindingRegistry, LayoutSlots, TuiContext, TuiExtension, Widget } from "./extension.ts";
import { runTui } from "./run-tui.ts";
import type { StyleMap } from "./theme/style.ts";

/** The five seams as methods, for programs that wrap Hermes: extend it, override what you need, call `run`. */
export class HermesCli implements TuiExtension {
  get name(): string {
    return this.constructor.name;
  }

  extraWidgets(_context: TuiContext): readonly Widget[] {
    return [];
  }

  registerKeybindings(
    _registry: KeybindingRegistry,
    _io: { readonly inputArea: InputArea },
    _context: TuiContext,
  ): void {}

  buildLayout(
    slots: LayoutSlots,
    next: (slots: LayoutSlots) => readonly Widget[],
    _context: TuiContext,
  ): readonly Widget[] {
    return next(slots);
  }

  processCommand(_line: string, next: () => Promise<boolean>, _context: TuiContext): Promise<boolean> {
    return next();
  }

  styles(base: StyleMap, _context: TuiContext): StyleMap {
    return base;
  }

  run(options: RunTuiOptions): Promise<{ readonly exitCode: number }> {
    return runTui({ ...options, extensions: [...(options.extensions ?? []), this] });
  }
}
