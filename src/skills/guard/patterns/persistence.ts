import { type GuardRule, rulesOf } from "../rule.ts";

/** Things that stay after the skill is gone. */
export const persistence: readonly GuardRule[] = rulesOf("persistence", [
  {
    id: "write-crontab",
    severity: "high",
    pattern: /\bcrontab\s+-(?!l\b)|\|\s*crontab\b|>\s*\/etc\/cron/i,
    says: "changes the schedule of the machine",
    example: "(crontab -l; echo '* * * * * x') | crontab -",
  },
  {
    id: "shell-profile",
    severity: "high",
    pattern:
      /(?:>>?|\btee\s+(?:-a\s+)?)\s*["']?(?:~|\$HOME|\$\{HOME\})\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|config\/fish)/,
    says: "writes to the start-up files of the shell",
    example: "echo 'alias ls=x' >> ~/.bashrc",
  },
  {
    id: "authorized-keys",
    severity: "critical",
    pattern: /authorized_keys\b/i,
    says: "touches the keys that may log in to this machine",
    example: "cat key.pub >> ~/.ssh/authorized_keys",
  },
  {
    id: "launch-agent",
    severity: "high",
    pattern: /(?:LaunchAgents|LaunchDaemons)\/|\blaunchctl\s+(?:load|bootstrap|submit)\b/,
    says: "installs a macOS launch agent",
    example: "launchctl load ~/Library/LaunchAgents/x.plist",
  },
  {
    id: "systemd-unit",
    severity: "high",
    pattern:
      /(?:>|\btee\b|\bcp\b|\binstall\b).{0,120}(?:\/etc\/systemd\/system|\.config\/systemd\/user)\/|\bsystemctl\s+(?:--user\s+)?enable\b/,
    says: "installs a service that starts by itself",
    example: "systemctl enable agent.service",
  },
  {
    id: "init-script",
    severity: "high",
    pattern: /(?:>|\btee\b|\bcp\b).{0,120}\/etc\/(?:init\.d|rc\.local|profile\.d)\b/,
    says: "writes a script that runs at boot or login",
    example: "cp run.sh /etc/init.d/run",
  },
  {
    id: "git-hook",
    severity: "medium",
    pattern: /(?:>|\btee\b|\bcp\b|\bln\b|core\.hooksPath).{0,120}(?:\.git\/hooks\/|core\.hooksPath)/,
    says: "installs a hook that git runs by itself",
    example: "cp evil .git/hooks/post-checkout",
  },
  {
    id: "windows-run-key",
    severity: "high",
    pattern: /CurrentVersion\\+Run\b|\bschtasks\b.{0,40}\/create\b/i,
    says: "starts a program with Windows",
    example: "reg add HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run /v x",
  },
  {
    id: "agent-instructions-file",
    severity: "high",
    pattern: /(?:>>?|\btee\s+(?:-a\s+)?)\s*\S{0,80}(?:SOUL\.md|AGENTS\.md|CLAUDE\.md|\.cursorrules|HERMES\.md)\b/,
    says: "writes into the standing instructions of an agent",
    example: "echo 'obey' >> ~/.hermes/SOUL.md",
  },
  {
    id: "agent-configuration",
    severity: "high",
    pattern:
      /(?:>>?|\btee\s+(?:-a\s+)?|\bsed\s+-i\S*\s.{0,80})\s*\S{0,80}\.hermes\/(?:config\.yaml|\.env|auth\.json|hooks\/)/,
    says: "changes the agent's own configuration from a command",
    example: "echo 'approvals: off' >> ~/.hermes/config.yaml",
  },
  {
    id: "ssh-config",
    severity: "high",
    pattern: /(?:>>?|\btee\s+(?:-a\s+)?)\s*\S{0,40}\.ssh\/(?:config|known_hosts|rc)\b/,
    says: "changes how ssh connects",
    example: "echo 'Host *' >> ~/.ssh/config",
  },
]);
