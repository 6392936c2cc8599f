import {
  busyCommand,
  fastCommand,
  permissionsCommand,
  personalityCommand,
  reasoningCommand,
  yoloCommand,
} from "./behaviour.ts";
import type { SlashCommand } from "./command.ts";
import {
  branchCommand,
  clearCommand,
  compressCommand,
  newCommand,
  retryCommand,
  rewindCommand,
  titleCommand,
  undoCommand,
} from "./conversation.ts";
import { debugCommand, logsCommand } from "./debug.ts";
import { exportCommand } from "./export.ts";
import { commandsCommand, helpCommand } from "./help.ts";
import { historyCommand, saveCommand } from "./history.ts";
import { connectCommand, modelCommand } from "./model.ts";
import { planCommand } from "./planning.ts";
import { configCommand, profileCommand, reloadCommand } from "./preferences.ts";
import { resumeCommand, sessionsCommand } from "./resume.ts";
import { rollbackCommand } from "./rollback.ts";
import {
  copyCommand,
  detailsCommand,
  imageCommand,
  pasteCommand,
  quitCommand,
  skinCommand,
  statusbarCommand,
  verboseCommand,
} from "./screen.ts";
import { snapshotCommand } from "./snapshot.ts";
import { contextCommand, insightsCommand, statusCommand, usageCommand, versionCommand } from "./status.ts";
import {
  memoryCommand,
  pluginsCommand,
  reloadMcpCommand,
  skillsCommand,
  toolsCommand,
  toolsetsCommand,
} from "./tools.ts";
import {
  agentsCommand,
  approveCommand,
  backgroundCommand,
  continueCommand,
  cronCommand,
  denyCommand,
  queueCommand,
  steerCommand,
  stopCommand,
} from "./turns.ts";

/** Every command a session can answer by itself, in the order of `/help`. */
export const builtinCommands: readonly SlashCommand[] = [
  newCommand,
  clearCommand,
  historyCommand,
  saveCommand,
  retryCommand,
  continueCommand,
  undoCommand,
  rewindCommand,
  planCommand,
  titleCommand,
  branchCommand,
  compressCommand,
  rollbackCommand,
  snapshotCommand,
  exportCommand,
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
  connectCommand,
  personalityCommand,
  statusbarCommand,
  verboseCommand,
  yoloCommand,
  permissionsCommand,
  reasoningCommand,
  fastCommand,
  skinCommand,
  busyCommand,
  detailsCommand,
  toolsCommand,
  toolsetsCommand,
  skillsCommand,
  memoryCommand,
  cronCommand,
  reloadCommand,
  reloadMcpCommand,
  pluginsCommand,
  helpCommand,
  commandsCommand,
  usageCommand,
  contextCommand,
  insightsCommand,
  versionCommand,
  profileCommand,
  copyCommand,
  pasteCommand,
  imageCommand,
  debugCommand,
  logsCommand,
  sessionsCommand,
  quitCommand,
];
