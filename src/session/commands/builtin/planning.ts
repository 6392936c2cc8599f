import { planRequest } from "../../turns/plan-words.ts";
import { defineCommand } from "../command.ts";
import { say, submissionView, warn } from "../views.ts";

const usage = "Usage: /plan <task>, /plan accept or /plan off";

export const planCommand = defineCommand({
  name: "plan",
  description: "Have a plan made first: nothing is changed until you accept it",
  category: "Session",
  argsHint: "<task> | accept | off",
  subcommands: ["accept", "off"],
  whileRunning: "busy",
  takes: ["approvals", "line"],
  async run({ args }, { approvals, line }) {
    if (args === "") {
      if (approvals.isPlanning) return say(`A plan is being made; nothing is changed. ${usage}`);
      return say(usage);
    }
    if (args !== "accept" && args !== "off") {
      approvals.setPlanning(true);
      return submissionView(await line.submit({ text: planRequest(args) }));
    }
    if (!approvals.isPlanning) return warn("Plan mode is off.");
    approvals.setPlanning(false);
    if (args === "off") return say("Plan mode is off; changes are allowed again.");
    return submissionView(await line.submit({ text: "I accept the plan. Carry it out." }));
  },
});
