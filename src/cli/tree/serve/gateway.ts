import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

const run: NonNullable<Command["run"]> = async (invocation) =>
  (await import("../../commands/gateway/run.ts")).gatewayRun(invocation);
const control = () => import("../../commands/gateway/control.ts");
const queue = () => import("../../commands/gateway/queue.ts");
const entry = { name: "entry" } as const;
const force = (about: string) => ({ name: "force", kind: "switch", about }) as const;
const all = (about: string) => ({ name: "all", kind: "switch", about }) as const;

export const gatewayCommand: Command = {
  name: "gateway",
  about: "Talk to Hermes from chat platforms",
  examples: [
    "hermes gateway setup             connect a platform",
    "hermes gateway run               serve them in this terminal",
    "hermes gateway install           serve them whenever this machine runs",
  ],
  run,
  commands: [
    {
      name: "run",
      about: "Serve the chat platforms in the foreground",
      flags: [
        { name: "replace", kind: "switch", about: "Take the place of a gateway that runs" },
        { name: "keep-trying", kind: "switch", about: "Do not end because no platform can be reached" },
        {
          name: "role",
          kind: "list",
          value: "<roles>",
          about: "Do only this of ingress, worker, scheduler and api; needs PostgreSQL",
        },
      ],
      run,
    },
    {
      name: "setup",
      about: "Connect a platform: ask for its credentials and who may write",
      args: [{ name: "platform", isOptional: true }],
      flags: [
        { name: "token", kind: "text", value: "<token>", about: "Its credential, without being asked" },
        { name: "allowed-users", kind: "text", value: "<ids>", about: "Who may write, with commas" },
      ],
      run: async (invocation) => (await import("../../commands/gateway/setup.ts")).gatewaySetup(invocation),
    },
    {
      name: "start",
      about: "Start the service, or serve in the foreground",
      flags: [all("End the gateways of every profile first")],
      run: async (i) => (await control()).gatewayStart(i),
    },
    {
      name: "stop",
      about: "End the gateway of this home, when its turns are over",
      flags: [force("End it also when it does not end by itself"), all("End those of every profile")],
      run: async (i) => (await control()).gatewayStop(i),
    },
    {
      name: "restart",
      about: "Let the turns end, and start anew",
      flags: [all("End the gateways of every profile, and start that of this one")],
      run: async (i) => (await control()).gatewayRestart(i),
    },
    {
      name: "status",
      about: "Show whether it runs, and how the platforms are",
      run: async (i) => (await control()).gatewayStatus(i),
    },
    {
      name: "install",
      about: "Install it as a service of systemd or launchd",
      flags: [force("Write the service anew")],
      run: async (i) => (await control()).gatewayInstall(i),
    },
    { name: "uninstall", about: "Remove the service", run: async (i) => (await control()).gatewayUninstall(i) },
    {
      name: "doctor",
      about: "Look for what keeps it from working: settings, credentials, processes, ports, the store, the clock",
      flags: [{ name: "offline", kind: "switch", about: "Ask no platform" }],
      run: async (i) => (await import("../../commands/gateway/doctor/doctor.ts")).gatewayDoctor(i),
    },
    {
      name: "forget",
      about: "Leave nothing of a person or a chat: messages, sessions, files, pairing",
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
          about: "Show how many wait, and what was given up",
          run: async (i) => (await queue()).queueList(i),
        },
        { name: "show", about: "Show one entry whole", args: [entry], run: async (i) => (await queue()).queueShow(i) },
        { name: "retry", about: "Try one entry again", args: [entry], run: async (i) => (await queue()).queueRetry(i) },
        { name: "drop", about: "Give one entry up", args: [entry], run: async (i) => (await queue()).queueDrop(i) },
      ],
    },
  ],
};

const platform: Argument = { name: "platform" };

export const pairingCommand: Command = {
  name: "pairing",
  about: "Say who may talk to Hermes in chats: approve the codes that strangers are given",
  examples: ["hermes pairing list", "hermes pairing approve telegram K7MPQ2XD"],
  run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingList(invocation),
  commands: [
    {
      name: "list",
      about: "Show who is paired, and which codes wait",
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingList(invocation),
    },
    {
      name: "approve",
      about: "Let in the person who was given this code",
      args: [platform, { name: "code" }],
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingApprove(invocation),
    },
    {
      name: "revoke",
      about: "Let a paired person in no longer",
      args: [platform, { name: "user-id" }],
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingRevoke(invocation),
    },
    {
      name: "clear-pending",
      about: "Throw away the codes that wait, of one platform or of all",
      args: [{ ...platform, isOptional: true }],
      run: async (invocation) => (await import("../../commands/gateway/pairing.ts")).pairingClear(invocation),
    },
  ],
};

export const whatsappCommand: Command = {
  name: "whatsapp",
  about: "Link this machine to your WhatsApp account, and serve it to the gateway",
  examples: [
    "hermes whatsapp                        show a code that the phone scans",
    "hermes whatsapp --number 4915112345678 show one to type in, too",
  ],
  flags: [{ name: "number", kind: "text", value: "<number>", about: "Your number, to link by a code to type in" }],
  run: async (invocation) => (await import("../../commands/gateway/whatsapp.ts")).whatsapp(invocation),
};
