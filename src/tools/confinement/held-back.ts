/** What programs say when a wall held them back, and what it means. */
const signs: readonly (readonly [sign: RegExp, meaning: string])[] = [
  [/read-only file system|\bEROFS\b|os error 30\b/i, "writing there is refused"],
  [
    /docker daemon|docker\.sock|podman\.sock|containerd\.sock/i,
    "container engines are out of reach, because whoever reaches one reaches the whole machine",
  ],
  [
    /no new privileges|must be owned by uid 0 and have the setuid bit|sudo: .*effective uid/i,
    "no rights can be gained",
  ],
  [/could not open a connection to your authentication agent|SSH_AUTH_SOCK/i, "agents for keys are out of reach"],
  [
    /failed to connect to bus|DBUS_SESSION_BUS_ADDRESS|system has not been booted with systemd/i,
    "services are out of reach",
  ],
];

/** A note for the model when a command failed in a way that looks like the wall: what it was, and how to ask for more. */
export function heldBackNotes(output: string, workspace: string): readonly string[] {
  const tail = output.slice(-20_000);
  const meanings = signs.filter(([sign]) => sign.test(tail)).map(([, meaning]) => meaning);
  if (meanings.length === 0) return [];
  return [
    `[sandbox: ${meanings.join("; ")}. Commands write ${workspace} and temporary folders only. If the task needs more, say so, or call terminal again with outside_sandbox=true and a reason: the user is asked about exactly that command.]`,
  ];
}
