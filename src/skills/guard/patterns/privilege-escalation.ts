import { type GuardRule, rulesOf } from "../rule.ts";

/** Becoming more than the user is. */
export const privilegeEscalation: readonly GuardRule[] = rulesOf("privilege_escalation", [
  {
    id: "sudoers-edit",
    severity: "critical",
    pattern: /\/etc\/sudoers(?:\.d)?\b|\bvisudo\b|NOPASSWD\s*:/,
    says: "changes who may become administrator",
    example: "echo 'x ALL=(ALL) NOPASSWD: ALL' | tee /etc/sudoers.d/x",
  },
  {
    id: "set-uid",
    severity: "critical",
    pattern: /\bchmod\s+(?:-R\s+)?(?:[ug]*\+s|[2467][0-7]{3})\b/,
    says: "makes a program run with its owner's rights",
    example: "chmod u+s /usr/bin/find",
  },
  {
    id: "sudo-password-piped",
    severity: "critical",
    pattern: /\becho\b.{0,80}\|\s*sudo\s+-S\b/,
    says: "feeds a password to sudo",
    example: "echo pw | sudo -S id",
  },
  {
    id: "sudo-shell",
    severity: "high",
    pattern: /\bsudo\s+(?:-\w+\s+)*(?:su\b|-i\b|-s\b|(?:ba|z)?sh\b)/,
    says: "opens an administrator's shell",
    example: "sudo su -",
  },
  {
    id: "sudo-command",
    severity: "medium",
    pattern: /(?:^|[;&|`(]\s*|\s)sudo\s+(?!-(?:l|v|k)\b)[a-z/]/,
    says: "runs a command as administrator",
    example: "sudo apt-get update",
  },
  {
    id: "world-writable",
    severity: "high",
    pattern: /\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx|o\+w)\b/,
    says: "lets everybody change files",
    example: "chmod -R 777 /srv",
  },
  {
    id: "owner-root",
    severity: "high",
    pattern: /\bchown\s+(?:-R\s+)?root\b/,
    says: "gives files to the administrator",
    example: "chown root:root x",
  },
  {
    id: "privileged-container",
    severity: "critical",
    pattern: /\b(?:docker|podman)\s+run\b.{0,200}(?:--privileged|--pid[= ]host|--cap-add[= ](?:ALL|SYS_ADMIN))/,
    says: "starts a container that is not contained",
    example: "docker run --privileged alpine",
  },
  {
    id: "kernel-module",
    severity: "critical",
    pattern: /\b(?:insmod|modprobe)\s+\S|\bkextload\b/,
    says: "loads code into the kernel",
    example: "insmod x.ko",
  },
  {
    id: "protection-off",
    severity: "critical",
    pattern:
      /\bsetenforce\s+0\b|\bcsrutil\s+disable\b|\bspctl\s+--master-disable\b|\bSet-MpPreference\b.{0,60}Disable|\bufw\s+disable\b/i,
    says: "switches off a protection of the system",
    example: "setenforce 0",
  },
  {
    id: "capabilities-added",
    severity: "critical",
    pattern: /\bsetcap\s+\S*cap_/i,
    says: "gives a program rights of the administrator",
    example: "setcap cap_setuid+ep ./x",
  },
  {
    id: "add-user",
    severity: "high",
    pattern: /\b(?:useradd|adduser|usermod)\s+(?:-\S+\s+)*\S+|\bdscl\s+\.\s+-create\b|\bnet\s+user\s+\S+\s+\S+\s+\/add/,
    says: "creates or changes an account",
    example: "usermod -aG docker me",
  },
]);
