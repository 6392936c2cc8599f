import { tally } from "./state.mjs";

/** The part for the terminal, loaded only where there is one: the five powers of an extension. */
export function extensions(ctx) {
  let isShown = ctx.config.hidden !== true;
  const isBelow = ctx.config.below === true;
  const words = () => [...tally].map(([name, count]) => `${name} ${count}`).join(" · ") || "no tool has run yet";
  return [
    {
      name: "tool-tally",

      // 1. A row between the conversation and the status bar.
      extraWidgets: () => [
        {
          id: "tool-tally",
          visible: () => isShown,
          height: () => 1,
          render: () => [[{ text: " tally ", style: "tally-label" }, { text: ` ${words()}` }]],
        },
      ],

      // 2. A key that shows and hides it.
      registerKeybindings(registry, _io, context) {
        registry.add("f3", () => {
          isShown = !isShown;
          context.invalidate();
        });
      },

      // 3. The order of everything: the status bar may stand below the line you type.
      buildLayout(slots, next) {
        const usual = next(slots);
        if (!isBelow) return usual;
        return [...usual.filter((widget) => widget !== slots.statusBar), slots.statusBar];
      },

      // 4. A command of its own; every other one is passed on.
      async processCommand(line, next, context) {
        if (line.trim() !== "/tally-panel") return next();
        isShown = !isShown;
        context.print(`The tally is ${isShown ? "shown" : "hidden"}; F3 does the same.`);
        return true;
      },

      // 5. How its label looks.
      styles: () => ({ "tally-label": { isInverse: true, isBold: true } }),
    },
  ];
}
