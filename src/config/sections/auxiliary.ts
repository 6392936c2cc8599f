import { target, targetShape } from "./model.ts";
import { amount, choice, flag, freeMap, listOf, section, text, whole } from "./setting.ts";

/** Side tasks that may run on a model of their own, with the seconds each may take. */
const taskTimeouts = {
  vision: 120,
  web_extract: 360,
  compression: 120,
  session_search: 30,
  skills_hub: 30,
  approval: 30,
  mcp: 30,
  title_generation: 30,
  flush_memories: 60,
} as const;

function taskShape(timeoutSeconds: number, provider: "auto" | "main") {
  return {
    ...targetShape,
    provider: text(provider, "`auto`, `main`, a provider ID or `custom:<name>`."),
    timeout: amount(timeoutSeconds, "Maximum seconds for one call."),
    extra_body: freeMap("Extra fields for the request body."),
    fallback: listOf(target, "Models to try, in order, when the task's own fails."),
  };
}

export const auxiliarySections = {
  auxiliary: section(
    { description: "Models for side tasks.", category: "Auxiliary models" },
    {
      prefer: choice(
        ["main", "cheap"],
        "main",
        "Model for `auto` tasks: the main model, or the cheap model of its provider.",
      ),
      vision: section("Describing images.", {
        ...taskShape(taskTimeouts.vision, "auto"),
        download_timeout: amount(30, "Maximum seconds to download an image."),
        temperature: amount(0.1, "Sampling temperature.", { max: 2 }),
      }),
      web_extract: section("Summaries of web pages.", taskShape(taskTimeouts.web_extract, "auto")),
      compression: section("Summaries when a conversation is compressed.", taskShape(taskTimeouts.compression, "auto")),
      session_search: section("Summaries of earlier sessions.", {
        ...taskShape(taskTimeouts.session_search, "auto"),
        max_concurrency: whole(3, "Maximum concurrent summaries.", { min: 1, max: 5, clamp: true }),
      }),
      skills_hub: section(
        {
          description: "Work on skills from the hub.",
          noEffect: "Skills from hubs are judged by rules; no model is asked.",
        },
        taskShape(taskTimeouts.skills_hub, "auto"),
      ),
      approval: section("Judging flagged commands in `smart` mode.", taskShape(taskTimeouts.approval, "auto")),
      mcp: section("Sampling requests of MCP servers.", taskShape(taskTimeouts.mcp, "auto")),
      title_generation: section("Titles for sessions.", {
        ...taskShape(taskTimeouts.title_generation, "auto"),
        enabled: flag(true, "Let a model write session titles. Off: the first words of the conversation."),
      }),
      flush_memories: section("Saving memories.", taskShape(taskTimeouts.flush_memories, "main")),
    },
  ),
};
