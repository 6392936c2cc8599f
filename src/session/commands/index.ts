import { copyCommand, imageCommand, pasteCommand, quitCommand } from "./attach.ts";
import { agentsCommand, backgroundCommand } from "./background.ts";
import { busyCommand, fastCommand, reasoningCommand, yoloCommand } from "./behaviour.ts";
import { branchCommand } from "./branch.ts";
import type { SlashCommand } from "./command.ts";
import { compressCommand } from "./compress.ts";
import { continueCommand } from "./continue.ts";
import { debugCommand, logsCommand } from "./debug.ts";
import { detailsCommand, skinCommand, statusbarCommand, verboseCommand } from "./display.ts";
import { commandsCommand, helpCommand } from "./help.ts";
import { historyCommand, saveCommand } from "./history.ts";
import { insightsCommand } from "./insights.ts";
import { modelCommand } from "./model.ts";
import { clearCommand, newCommand } from "./new.ts";
import { personalityCommand } from "./personality.ts";
import { configCommand, profileCommand, reloadCommand } from "./preferences.ts";
import { queueCommand, steerCommand } from "./queue.ts";
import { resumeCommand, sessionsCommand } from "./resume.ts";
import { retryCommand, undoCommand } from "./retry.ts";
import { rollbackCommand } from "./rollback.ts";
import { memoryCommand, skillsCommand } from "./skills.ts";
import { snapshotCommand } from "./snapshot.ts";
import { statusCommand, usageCommand } from "./status.ts";
import { approveCommand, denyCommand, stopCommand } from "./stop.ts";
import { titleCommand } from "./title.ts";
import { pluginsCommand, reloadMcpCommand, toolsCommand, toolsetsCommand } from "./tools.ts";

/** Every command a session can answer by itself, in the order of `/help`. */
export const builtinCommands: readonly SlashCommand[] = [
  newCommand,
  clearCommand,
  historyCommand,
  saveCommand,
  retryCommand,
  continueCommand,
  undoCommand,
  titleCommand,
  branchCommand,
  compressCommand,
  rollbackCommand,
  snapshotCommand,
  stopCommand,
  approveCommand,
  denyCommand,
  backgroundCommand,
  agentsCommand,
  queueCommand,
  steerCommand,
  statusCommand,
  resumeCommand,
  configCommand,
  modelCommand,
  personalityCommand,
  statusbarCommand,
  verboseCommand,
  yoloCommand,
  reasoningCommand,
  fastCommand,
  skinCommand,
  busyCommand,
  detailsCommand,
  toolsCommand,
  toolsetsCommand,
  skillsCommand,
  memoryCommand,
  reloadCommand,
  reloadMcpCommand,
  pluginsCommand,
  helpCommand,
  commandsCommand,
  usageCommand,
  insightsCommand,
  profileCommand,
  copyCommand,
  pasteCommand,
  imageCommand,
  debugCommand,
  logsCommand,
  sessionsCommand,
  quitCommand,
];
