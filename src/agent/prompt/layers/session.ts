import { defineLayer } from "../layer.ts";
import { freezeSession, sessionText } from "../session-line.ts";

/** The first build freezes these lines; a rebuild renders them from what was frozen, not from here. */
export const sessionLayer = defineLayer({
  name: "session",
  pick: (all) => ({ session: all.session, model: all.model, provider: all.provider }),
  render: ({ session, model, provider }) => sessionText(freezeSession(session), { model, provider }),
});
