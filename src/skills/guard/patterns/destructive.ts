import { type GuardRule, rulesOf } from "../rule.ts";

/** Commands after which something is gone. */
export const destructive: readonly GuardRule[] = rulesOf("destructive", [
  {
    id: "remove-root",
    severity: "critical",
    pattern:
      /\brm\s+(?:-[a-zA-Z-]+\s+)*-[a-zA-Z]*[rR][a-zA-Z]*\s+(?:-[a-zA-Z-]+\s+)*["']?(?:\/(?:\s|\*|["']|$)|\/(?:etc|usr|var|boot|bin|lib|home|Users|System)\/?(?:\s|\*|$))/,
    says: "deletes the whole system or one of its main folders",
    example: "rm -rf /",
  },
  {
    id: "remove-home",
    severity: "critical",
    pattern:
      /\brm\s+(?:-[a-zA-Z-]+\s+)*-[a-zA-Z]*[rR][a-zA-Z]*\s+(?:-[a-zA-Z-]+\s+)*["']?(?:~|\$HOME|\$\{HOME\})(?:\/?["']?(?:\s|\*|$)|\/\*)/,
    says: "deletes the home folder",
    example: "rm -rf ~/",
  },
  {
    id: "no-preserve-root",
    severity: "critical",
    pattern: /--no-preserve-root\b/,
    says: "switches off the protection of the root folder",
    example: "rm -r --no-preserve-root /",
  },
  {
    id: "remove-variable-path",
    severity: "medium",
    pattern: /\brm\s+-[a-zA-Z]*[rR][a-zA-Z]*f?[a-zA-Z]*\s+["']?\$\{?\w+\}?\/?["']?(?:\s|$)/,
    says: "deletes a folder named by a variable, which may be empty",
    example: "rm -rf $TARGET/",
  },
  {
    id: "format-disk",
    severity: "critical",
    pattern: /\bmkfs(?:\.\w+)?\s+(?:-\S+\s+)*\/dev\//,
    says: "formats a disk",
    example: "mkfs.ext4 /dev/sda1",
  },
  {
    id: "overwrite-disk",
    severity: "critical",
    pattern: /\bdd\b.{0,200}\bof=\/dev\/(?:sd|hd|nvme|vd|disk|mmcblk)/,
    says: "overwrites a disk",
    example: "dd if=/dev/zero of=/dev/sda bs=1M",
  },
  {
    id: "redirect-to-disk",
    severity: "critical",
    pattern: />\s*\/dev\/(?:sd[a-z]|hd[a-z]|nvme\d|disk\d)/,
    says: "writes straight onto a disk",
    example: "cat image > /dev/sda",
  },
  {
    id: "wipe-partition-table",
    severity: "critical",
    pattern: /\b(?:wipefs\s+-a|sgdisk\s+--zap-all|parted\s+\S+\s+mklabel|diskutil\s+eraseDisk)\b/i,
    says: "erases a partition table",
    example: "wipefs -a /dev/sdb",
  },
  {
    id: "fork-bomb",
    severity: "critical",
    pattern: /:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:/,
    says: "a fork bomb",
    example: ":(){ :|:& };:",
  },
  {
    id: "overwrite-system-file",
    severity: "critical",
    pattern: /(?:>|\btee\s+(?:-a\s+)?)\s*\/etc\/(?:passwd|shadow|sudoers|hosts|fstab)\b/,
    says: "writes over a file of the system",
    example: "echo x > /etc/passwd",
  },
  {
    id: "drop-database",
    severity: "high",
    pattern: /\bDROP\s+(?:DATABASE|SCHEMA)\s+(?!IF\s+EXISTS\s+(?:test|tmp|scratch))\w/i,
    says: "drops a database",
    example: "DROP DATABASE production;",
  },
  {
    id: "force-push-history",
    severity: "medium",
    pattern: /\bgit\s+push\s+(?:\S+\s+)*(?:--force(?!-with-lease)|-f)\b/,
    says: "overwrites the history of a shared repository",
    example: "git push --force origin main",
  },
  {
    id: "recursive-code-delete",
    severity: "high",
    pattern:
      /\b(?:shutil\.rmtree|fs\.rmSync|rimraf)\s*\(\s*["'`]?(?:\/["'`]|~|os\.path\.expanduser\(["']~["']\)|os\.homedir\(\)\s*[,)])/i,
    says: "deletes the home or root folder from code",
    example: 'shutil.rmtree("/")',
  },
  {
    id: "shred-files",
    severity: "high",
    pattern: /\bshred\s+(?:-\S+\s+)*(?:~|\/|\$HOME)/,
    says: "makes files unrecoverable",
    example: "shred -u ~/notes.txt",
  },
]);
