import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

const run: NonNullable<Command["run"]> = async (invocation) =>
  (await import("../../commands/gateway/run.ts")).gatewayRun(invocation);
const control = () => import("../../commands/gateway/control.ts");
const queue = () => import("../../commands/gateway/queue.ts");
const entry = { name: "entry" } as const;
const force = (about: string) => ({ name: "force", kind: "switch", about }) as const;
const all = (about: string) => ({ name: "all", kind: "switch", about }) as const;
const system = { name: "system", kind: "switch", about: "The service of the whole machine (systemd, root)" } as const;

export const gatewayCommand: Command = {
  name: "gateway",
  about: "Talk to Hermes from chat platforms",
  examples: [
    "hermes gateway setup             connect a platform",
    "hermes gateway run               serve them in this terminal",
    "hermes gateway install           serve them whenever this machine is on",
  ],
  run,
  commands: [
    {
      name: "run",
      about: "Serve the chat platforms in the foreground",
      flags: [
        { name: "replace", kind: "switch", about: "Replace a running gateway" },
        { name: "keep-trying", kind: "switch", about: "Keep running even if no platform can be reached" },
        {
          name: "role",
          kind: "list",
          value: "<roles>",
          about: "Run only this role (ingress, worker, scheduler, api); needs PostgreSQL",
        },
      ],
      run,
    },
    {
      name: "setup",
      about: "Connect a platform: ask for its credentials and who may write",
      args: [{ name: "platform", isOptional: true }],
      flags: [
        { name: "token", kind: "text", value: "<token>", about: "Its credential, to skip the question" },
        { name: "allowed-users", kind: "text", value: "<ids>", about: "Who may write, separated by commas" },
      ],
      run: async (invocation) => (await import("../../commands/gateway/setup.ts")).gatewaySetup(invocation),
    },
    {
      name: "start",
      about: "Start the service, or serve in the foreground",
      flags: [all("Stop the gateways of every profile first"), system],
      run: async (i) => (await control()).gatewayStart(i),
    },
    {
      name: "stop",
      about: "Stop the gateway of this home once its turns are done",
      flags: [force("Stop it even if it does not stop by itself"), all("Stop those of every profile"), system],
      run: async (i) => (await control()).gatewayStop(i),
    },
    {
      name: "restart",
      about: "Restart once its turns are done",
      flags: [all("Stop the gateways of every profile, and start this profile's"), system],
      run: async (i) => (await control()).gatewayRestart(i),
    },
    {
      name: "status",
      about: "Show whether it is running, and the state of the platforms",
      flags: [
        { name: "deep", kind: "switch", about: "Also what the service manager says of the service" },
        { name: "full", kind: "switch", about: "Also all that the gateway last reported, and when" },
        system,
      ],
      run: async (i) => (await import("../../commands/gateway/status.ts")).gatewayStatus(i),
    },
    {
      name: "install",
      about: "Install it as a systemd or launchd service",
      flags: [
        force("Overwrite the service file"),
        system,
        {
          name: "run-as-user",
          kind: "text",
          value: "<name>",
          about: "With --system: the user it runs as (whoever called sudo)",
        },
      ],
      run: async (i) => (await control()).gatewayInstall(i),
    },
    {
      name: "uninstall",
      about: "Remove the service",
      flags: [system],
      run: async (i) => (await control()).gatewayUninstall(i),
    },
    {
      name: "doctor",
      about: "Find what keeps it from working: settings, credentials, processes, ports, store, clock",
      flags: [{ name: "offline", kind: "switch", about: "Ask no platform" }],
      run: async (i) => (await import("../../commands/gateway/doctor/doctor.ts")).gatewayDoctor(i),
    },
    {
      name: "forget",
      about: "Delete everything about a user or a chat: messages, sessions, files, pairing",
      args: [{ name: "platform" }, { name: "id" }],
      flags: [yesFlag],
      run: async (i) => (await import("../../commands/gateway/forget.ts")).gatewayForget(i),
    },
    {
      name: "queue",
      about: "Look at messages that could not be answered or delivered",
      run: async (i) => (await queue()).queueList(i),
      commands: [
        {
          name: "list",
          about: "Show how many are waiting, and what was given up",
          run: async (i) => (await queue()).queueList(i),
        },
        {
          name: "show",
          about: "Show one entry in full",
          args: [entry],
          run: async (i) => (await queue()).queueShow(i),
        },
        { name: "retry", about: "Retry one entry", args: [entry], run: async (i) => (await queue()).queueRetry(i) },
        { name: "drop", about: "Give one entry up", args: [entry], run: async (i) => (await queue()).queueDrop(i) },
      ],
    },
  ],
};

const platform: Argument = { name: "platform" };

export const pairingCommand: Command = {
  name: "pairing",
  about: "Choose who may talk to Hermes in chats, by approving pairing codes",
  examples: ["hermes pairing list", "hermes pairing approve telegram K7MPQ2XD"],
  run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingList(invocation),
  commands: [
    {
      name: "list",
      about: "Show who is paired, and pending codes",
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingList(invocation),
    },
    {
      name: "approve",
      about: "Approve the user who was given this code",
      args: [platform, { name: "code" }],
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingApprove(invocation),
    },
    {
      name: "revoke",
      about: "Unpair a user",
      args: [platform, { name: "user-id" }],
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingRevoke(invocation),
    },
    {
      name: "clear-pending",
      about: "Discard pending codes, for one platform or all",
      args: [{ ...platform, isOptional: true }],
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingClear(invocation),
    },
  ],
};

export const whatsappCommand: Command = {
  name: "whatsapp",
  about: "Link this machine to your WhatsApp account for the gateway",
  examples: [
    "hermes whatsapp                        show a code that the phone scans",
    "hermes whatsapp --number 4915112345678 also show one to type in",
  ],
  flags: [{ name: "number", kind: "text", value: "<number>", about: "Your number, to link by typing a code" }],
  run: async (invocation) => (await import("../../commands/gateway/whatsapp.ts")).whatsapp(invocation),
};
