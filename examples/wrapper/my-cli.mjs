/**
 * The same seams as a class. `HermesCli` comes from the terminal's door; this file receives it, so that the example
 * runs unchanged in the repository and in a program of yours.
 */
export function defineMyCli(HermesCli) {
  return class MyCli extends HermesCli {
    #notes = [];

    extraWidgets() {
      return [
        { id: "notes", visible: () => this.#notes.length > 0, render: () => this.#notes.map((note) => ` ✎ ${note}`) },
      ];
    }

    async processCommand(line, next, context) {
      const note = /^\/note\s+(.+)$/.exec(line)?.[1];
      if (note === undefined) return super.processCommand(line, next, context);
      this.#notes.push(note);
      context.invalidate();
      return true;
    }

    buildLayout(slots, next, context) {
      // The status bar moves to the very bottom.
      const others = super.buildLayout(slots, next, context).filter((widget) => widget.id !== "statusBar");
      return [...others, slots.statusBar];
    }
  };
}
