import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import { freePort } from "../free-port.ts";

const run = promisify(execFile);
const dovecot = "/usr/sbin/dovecot";
const postfix = "/usr/sbin/postfix";

/** Why there are no mail servers on this machine, or undefined. */
export function missingMailServers(): string | undefined {
  if (process.getuid?.() !== 0) return "Dovecot and Postfix are started by root only";
  return [dovecot, postfix].every((file) => existsSync(file)) ? undefined : "Dovecot or Postfix is not installed";
}

export const mailPassword = "secret-of-every-mailbox";

export interface LetterToHermes {
  readonly from: string;
  readonly to: string;
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly messageId?: string;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly { readonly filename: string; readonly content: Buffer }[];
}

/** A real Dovecot and a real Postfix on loopback: every address of mail.test has a mailbox. */
export interface MailServers extends AsyncDisposable {
  /** In the clear, and encrypted with a certificate of its own. */
  readonly imapPort: number;
  readonly imapsPort: number;
  /** In the clear, and with STARTTLS. */
  readonly smtpPort: number;
  readonly startTlsPort: number;
  /** Puts a letter into a mailbox; it is there when this resolves. */
  deliver(letter: LetterToHermes): Promise<void>;
  /** The same through Postfix, as from elsewhere. */
  post(letter: LetterToHermes): Promise<void>;
}

export async function startMailServers(): Promise<MailServers> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-mail-"));
  chmodSync(folder, 0o755);
  const [imapPort, imapsPort, lmtpPort, smtpPort, startTlsPort] = await freePorts();
  const ports: Ports = { imapPort, imapsPort, lmtpPort, smtpPort, startTlsPort };
  await writeCertificate(folder);
  const dovecotConfig = await writeDovecot(folder, ports);
  const postfixConfig = await writePostfix(folder, ports);
  await start(dovecot, ["-c", dovecotConfig]);
  await start(postfix, ["-c", postfixConfig, "start"]).catch(async (error: unknown) => {
    spawnSync("doveadm", ["-c", dovecotConfig, "stop"]);
    const log = await readFile(path.join(folder, "postfix.log"), "utf8").catch(() => "");
    throw new Error(`Postfix does not start: ${String(error)}\n${log}`);
  });
  const lmtp = createTransport({ host: "127.0.0.1", port: lmtpPort, lmtp: true, ignoreTLS: true, secure: false });
  const smtp = createTransport({ host: "127.0.0.1", port: smtpPort, ignoreTLS: true, secure: false });
  return {
    imapPort,
    imapsPort,
    smtpPort,
    startTlsPort,
    deliver: async (letter) => void (await lmtp.sendMail(mailOf(letter))),
    post: async (letter) => void (await smtp.sendMail(mailOf(letter))),
    async [Symbol.asyncDispose]() {
      spawnSync(postfix, ["-c", postfixConfig, "stop"]);
      spawnSync("doveadm", ["-c", dovecotConfig, "stop"]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** Servers keep what they were given to write to; waiting for its end would be waiting for theirs. */
async function start(file: string, args: readonly string[]): Promise<void> {
  const [code] = (await once(spawn(file, args, { stdio: "ignore" }), "exit")) as [number | null];
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
}

function mailOf({ attachments = [], references = [], ...letter }: LetterToHermes) {
  return {
    ...letter,
    ...(references.length === 0 ? {} : { references: references.join(" ") }),
    attachments: attachments.map((one) => ({ ...one })),
  };
}

interface Ports {
  readonly imapPort: number;
  readonly imapsPort: number;
  readonly lmtpPort: number;
  readonly smtpPort: number;
  readonly startTlsPort: number;
}

async function freePorts(): Promise<[number, number, number, number, number]> {
  return [await freePort(), await freePort(), await freePort(), await freePort(), await freePort()];
}

async function writeCertificate(folder: string): Promise<void> {
  await run("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=mail.test", "-keyout", path.join(folder, "key.pem"), "-out", path.join(folder, "cert.pem")],
  ]);
}

function idOf(user: string): number {
  return Number(execFileSync("id", ["-u", user], { encoding: "utf8" }));
}

async function writeDovecot(folder: string, { imapPort, imapsPort, lmtpPort }: Ports): Promise<string> {
  const mail = path.join(folder, "mail");
  await mkdir(mail);
  const owner = idOf("mail");
  chownSync(mail, owner, owner);
  const shared = path.join(folder, "spool", "private");
  await mkdir(shared, { recursive: true });
  chownSync(shared, idOf("postfix"), 0);
  const config = path.join(folder, "dovecot.conf");
  await writeFile(
    config,
    `
base_dir = ${folder}/dovecot-run
state_dir = ${folder}/dovecot-state
log_path = ${folder}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
disable_plaintext_auth = no
auth_failure_delay = 0
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
mail_location = maildir:${mail}/%n
mail_uid = ${owner}
mail_gid = ${owner}
first_valid_uid = 1
mail_max_userip_connections = 100
namespace inbox {
  inbox = yes
}
passdb {
  driver = static
  args = password=${mailPassword}
}
userdb {
  driver = static
  args = uid=${owner} gid=${owner} home=${mail}/%n allow_all_users=yes
}
service imap-login {
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = ${imapsPort}
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${lmtpPort}
  }
}
service auth {
  unix_listener ${folder}/spool/private/auth {
    mode = 0666
  }
}
`,
  );
  return config;
}

async function writePostfix(folder: string, { lmtpPort, smtpPort, startTlsPort }: Ports): Promise<string> {
  const config = path.join(folder, "postfix");
  const data = path.join(folder, "postfix-data");
  await Promise.all([mkdir(config), mkdir(data)]);
  const owner = idOf("postfix");
  chownSync(data, owner, owner);
  await writeFile(
    path.join(config, "main.cf"),
    `
compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${data}
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
myhostname = mail.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = mail.test
virtual_transport = lmtp:inet:127.0.0.1:${lmtpPort}
relayhost =
default_transport = error:nothing leaves this machine
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_tls_security_level = may
smtpd_recipient_restrictions = permit_mynetworks, reject
alias_maps =
local_recipient_maps =
`,
  );
  await writeFile(
    path.join(config, "master.cf"),
    `
127.0.0.1:${smtpPort} inet n - n - - smtpd
  -o smtpd_tls_security_level=none
127.0.0.1:${startTlsPort} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
`,
  );
  return config;
}
