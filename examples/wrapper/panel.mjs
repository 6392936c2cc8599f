/**
 * A small extension of the terminal: a row with the number of messages, switched by F2 or /panel.
 * It needs no dependencies and no build; hand `panel()` to `runTui` as one of its extensions.
 */
export function panel() {
  let isShown = false;
  return {
    name: "message-panel",

    extraWidgets(context) {
      return [
        {
          id: "message-panel",
          visible: () => isShown,
          height: () => 1,
          render: () => [
            [
              { text: " messages ", style: "panel-label" },
              { text: ` ${context.conversationHistory.length} in this conversation, answered by ${context.model}` },
            ],
          ],
        },
      ];
    },

    registerKeybindings(registry, _io, context) {
      registry.add("f2", () => {
        isShown = !isShown;
        context.invalidate();
      });
    },

    async processCommand(line, next, context) {
      if (line.trim() !== "/panel") return next();
      isShown = !isShown;
      context.print(`The panel is ${isShown ? "on" : "off"}.`);
      return true;
    },

    styles: () => ({ "panel-label": { isInverse: true, isBold: true } }),
  };
}
