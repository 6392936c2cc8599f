import { randomBytes } from "node:crypto";
import path from "node:path";
import { openMachine, writeSecret } from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { systemClock } from "#foundation/time/clock";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";
import { version } from "../../version.ts";

const tokenVariable = "WHATSAPP_BRIDGE_TOKEN";

/** `hermes whatsapp`: links this machine to a person's WhatsApp account and serves it to the gateway. */
export async function whatsapp(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const out = new Output(invocation);
  const number = flagText(invocation, "number")?.replaceAll(/[\s+()-]/gu, "");
  if (number !== undefined && !/^\d{6,15}$/u.test(number))
    throw new UserError("--number takes a phone number with its country code.", {
      hint: "For example 4915112345678",
    });
  const { home, loaded } = await loadSettings(invocation);
  const { config } = loaded;
  let token = config.whatsapp.bridge_token.reveal();
  if (token === "") {
    token = randomBytes(24).toString("hex");
    await writeSecret(tokenVariable, new Secret(token), editOptions(invocation, home));
    out.line(`The gateway and the bridge authenticate each other with a new ${tokenVariable} in ${home.envFile}.`);
  }
  if (config.whatsapp.backend !== "bridge")
    out.line("The gateway uses the Business API. To use this device: hermes config set whatsapp.backend bridge");
  const { runWhatsAppBridge } = await import("#gateway");
  const { env, cwd } = io;
  const { profile } = invocation.global;
  await using machine = await openMachine({ env, cwd, version, profile, loaded, onNotice: (text) => out.note(text) });
  machine.redactor.add(new Secret(token), tokenVariable);
  await runWhatsAppBridge(
    {
      config,
      token,
      folders: {
        session: home.at("platforms", "whatsapp", "session"),
        packages: path.join(home.installRoot, "packages"),
      },
      number,
      clock: systemClock,
      logger: machine.logger,
      show: (text) => out.line(text),
    },
    io.signal,
  );
  return exitCodes.ok;
}
