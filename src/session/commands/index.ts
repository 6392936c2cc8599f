import {
  busyCommand,
  fastCommand,
  permissionsCommand,
  personalityCommand,
  reasoningCommand,
  yoloCommand,
} from "./builtin/behaviour.ts";
import {
  branchCommand,
  clearCommand,
  compressCommand,
  newCommand,
  retryCommand,
  rewindCommand,
  titleCommand,
  undoCommand,
} from "./builtin/conversation.ts";
import { debugCommand, logsCommand } from "./builtin/debug.ts";
import { exportCommand } from "./builtin/export.ts";
import { commandsCommand, helpCommand } from "./builtin/help.ts";
import { historyCommand, saveCommand } from "./builtin/history.ts";
import { mcpCommand, reloadMcpCommand } from "./builtin/mcp.ts";
import { connectCommand, modelCommand } from "./builtin/model.ts";
import { planCommand } from "./builtin/planning.ts";
import { configCommand, profileCommand, reloadCommand } from "./builtin/preferences.ts";
import { resumeCommand, sessionsCommand } from "./builtin/resume.ts";
import { rollbackCommand } from "./builtin/rollback.ts";
import {
  copyCommand,
  detailsCommand,
  imageCommand,
  pasteCommand,
  quitCommand,
  skinCommand,
  statusbarCommand,
  verboseCommand,
} from "./builtin/screen.ts";
import { settingsCommand } from "./builtin/settings.ts";
import { skillsCommand } from "./builtin/skills.ts";
import { snapshotCommand } from "./builtin/snapshot.ts";
import { contextCommand, insightsCommand, statusCommand, usageCommand, versionCommand } from "./builtin/status.ts";
import { memoryCommand, pluginsCommand, toolsCommand, toolsetsCommand } from "./builtin/tools.ts";
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
} from "./builtin/turns.ts";
import type { SlashCommand } from "./command.ts";

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
  settingsCommand,
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
  mcpCommand,
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
