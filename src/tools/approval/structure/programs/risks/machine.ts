import { keys } from "../../keys.ts";
import { type RiskRow, row } from "./row.ts";

const disk: readonly RiskRow[] = [
  row(
    keys.disk,
    "mkfs mke2fs mkswap mkdosfs mkntfs mkexfatfs mkudffs mkreiserfs mkjfs newfs newfs_apfs newfs_hfs newfs_msdos bcachefs mkfs.* " +
      "blkdiscard wipefs swapoff swapon pivot_root switch_root addpart delpart resizepart partprobe kpartx growpart diskpart manage-bde",
  ),
  row(keys.disk, "fdisk sfdisk cfdisk gdisk cgdisk sgdisk parted gparted partx fsfreeze fstrim blkzone zramctl", {
    unless: "-l --list -L print -p --print --show --dump",
  }),
  row(keys.disk, "mount umount losetup", { operand: /./ }),
  row(keys.disk, "mount umount losetup", {
    any: "-a -l -f -d -D -o --all --lazy --force --detach --detach-all --bind --rbind --move",
  }),
  row(keys.disk, "fusermount fusermount3 cryptsetup veracrypt truecrypt ntfs-3g sshfs dmsetup", {
    unless: "ls status info table luksDump isLuks -l --list",
  }),
  row(
    keys.disk,
    "lvcreate lvremove lvresize lvreduce lvextend lvconvert lvchange lvrename vgcreate vgremove vgreduce vgextend vgchange vgrename " +
      "pvcreate pvremove pvmove pvresize mdadm",
    { unless: "--detail --examine -D -E -Q --query" },
  ),
  row(keys.disk, "zpool", {
    sub: "create, destroy, remove, detach, offline, labelclear, export, split, add, attach, replace, clear, upgrade",
  }),
  row(keys.disk, "zfs", {
    sub: "destroy, rollback, rename, promote, receive, recv, set, unmount, umount, mount, create",
  }),
  row(keys.disk, "btrfs", {
    sub: "subvolume/sub/subv/su delete/del, device/dev remove/delete/add/replace, balance start, filesystem/fi resize, replace start, check",
  }),
  row(
    keys.disk,
    "resize2fs tune2fs e2fsck fsck e2image debugfs badblocks xfs_repair xfs_growfs xfs_admin xfs_db ntfsfix ntfsresize e2label " +
      "fatlabel swaplabel e4defrag reiserfstune jfs_tune dosfsck fsck.*",
    { unless: "-N -V" },
  ),
  row(
    keys.disk,
    "hdparm sdparm smartctl nvme sg_format sg_sanitize sg_unmap blockdev ddrescue dcfldd dc3dd partclone partimage fsarchiver clonezilla",
    { unless: "-I -i -t -T -g list id-ctrl smart-log --getsize64 --getss -a --all -H --health --scan" },
  ),
  row(
    keys.disk,
    "grub-install grub2-install grub-mkconfig update-grub grub-set-default bcdedit bootctl lilo syslinux extlinux flashrom fwupdmgr " +
      "fwupdtool nvram bless",
    { unless: "status get-devices list get-updates" },
  ),
  row(keys.disk, "efibootmgr", { any: "-B -b -o -c -n -D -a -A" }),
  row(keys.disk, "diskutil hdiutil asr", { unless: "list info activity verifyVolume verifyDisk imageinfo" }),
];

const power: readonly RiskRow[] = [
  row(keys.system, "systemctl", {
    sub: "isolate, default, rescue, emergency, suspend, hibernate, hybrid-sleep, suspend-then-hibernate, soft-reboot, switch-root, set-default, daemon-reexec",
  }),
  row(keys.system, "loginctl", {
    sub: "terminate-user, terminate-session, terminate-seat, kill-user, kill-session, kill-seat, lock-sessions, flush-devices",
  }),
  row(keys.system, "init telinit runlevel", { operand: /^[1-5sSuUqQ]$/ }),
  row(keys.system, "rtcwake pm-suspend pm-hibernate pm-powersave s2ram s2disk ctrlaltdel pmset", {
    unless: "-g -l --list-modes",
  }),
  row(keys.system, "sysctl", { any: "-w -p -f --write --load --system" }),
  row(keys.system, "sysctl", { operand: /=/ }),
  row(keys.system, "insmod rmmod modprobe kmod depmod dkms kextload kextunload", {
    unless: "-n --show-depends -c --showconfig list status -D",
  }),
  row(keys.system, "hostnamectl timedatectl localectl", {
    sub: "~set, hostname *, chassis *, deployment *, location *",
  }),
  row(keys.system, "hwclock", { any: "-w -s --systohc --hctosys --set --adjust" }),
  row(keys.system, "date", { any: "-s --set" }),
  row(
    keys.system,
    "ldconfig update-alternatives alternatives dpkg-divert dpkg-reconfigure dpkg-statoverride update-initramfs mkinitcpio dracut " +
      "mkinitramfs update-ca-certificates update-ca-trust locale-gen authconfig pam-auth-update",
    { unless: "-p --print-cache list --list --display --query get-selections" },
  ),
  row(keys.system, "nvidia-smi", { any: "-r --gpu-reset -pl -pm" }),
  row(keys.system, "renice mknod"),
  row(keys.system, "tmutil csrutil spctl systemsetup scutil networksetup dscl sysadminctl", {
    unless: "status listbackups latestbackup -p -get -list list read --dns --proxy -listallnetworkservices",
  }),
  row(keys.system, "reg wmic netsh sc schtasks vssadmin wbadmin takeown icacls fsutil cipher", {
    unless: "query show list get",
  }),
];

const services: readonly RiskRow[] = [
  row(keys.service, "systemctl", {
    sub: "stop, restart, try-restart, reload-or-restart, disable, mask, kill, revert, clean, freeze, reset-failed, daemon-reload",
  }),
  row(keys.persistence, "systemctl", {
    sub: "enable, reenable, start, link, edit, add-wants, add-requires, preset, set-property, import-environment, set-environment, unmask",
  }),
  row(keys.service, "service rc-service initctl invoke-rc.d sv svc s6-svc supervisorctl monit", {
    sub: "~stop, ~restart, ~start, ~reload, ~kill, ~down, ~up, ~shutdown, ~unmonitor, ~force-reload, ~force-stop",
  }),
  row(keys.service, "nginx apachectl httpd apache2ctl", { any: "-s -k" }),
  row(keys.service, "launchctl", { sub: "unload, bootout, remove, kill, stop, disable" }),
  row(keys.persistence, "launchctl", {
    sub: "load, bootstrap, submit, enable, start, kickstart, setenv, config, asuser, limit",
  }),
  row(keys.service, "pg_ctl pg_ctlcluster rabbitmqctl", {
    sub: "~stop, ~shutdown, ~restart, ~kill, ~stop_app, ~reset, ~force_reset, ~drop",
  }),
  row(keys.service, "pm2 forever", { sub: "kill, delete all, stop all, stopall, flush, unstartup" }),
  row(keys.persistence, "pm2", { sub: "startup, save, install" }),
];

const processes: readonly RiskRow[] = [
  row(keys.kill, "killall5 skill snice xkill slay tgkill tskill taskkill"),
  row(keys.kill, "fuser", { any: "-k --kill -K" }),
  row(keys.kill, "pkill", {
    any: "-u -U -g -G -t -s -P -v --euid --uid --pgroup --group --terminal --session --inverse",
  }),
  row(keys.kill, "killall", { any: "-u -r -g --user --regexp --process-group" }),
  row(keys.kill, "pkill killall", {
    operand:
      /^(?:\.?\*?|\.\+|\^.*|systemd.*|init|dbus.*|sshd?|Xorg|Xwayland|gnome.*|kde.*|plasma.*|kwin.*|sway|hyprland|i3|mutter|login|gdm.*|lightdm|sddm|bash|zsh|sh|fish|tmux.*|screen|dockerd?|containerd|kubelet|crond?|rsyslogd|auditd|NetworkManager|networkd|udevd|polkitd|postgres|mysqld|WindowServer|loginwindow|launchd|Finder|Dock|explorer\.exe|java|code|cursor|claude|codex)$/,
  }),
  row(keys.kill, "tmux", { sub: "kill-server, kill-session, kill-window, kill-pane" }),
  row(keys.kill, "screen", { any: "-X" }),
  row(
    keys.exhaustion,
    "stress stress-ng stressapptest memtester bonnie++ fio cpuburn burnP6 hping3 hping slowhttptest t50 ettercap arpspoof dsniff " +
      "bettercap aireplay-ng mdk3 mdk4 loic siege masscan zmap",
  ),
  row(keys.exhaustion, "ping ping6", { any: "-f -A" }),
  row(keys.exhaustion, "fallocate", { unless: "--posix-test" }),
  row(keys.exhaustion, "ulimit", { operand: /^(?:\d{1,2})$/ }),
  row(keys.exhaustion, "tail sort cat shuf md5sum sha256sum wc cp gzip xz base64 od tr rev tac", {
    operand: /^\/dev\/(?:zero|full|random|urandom)$/,
  }),
  row(keys.exhaustion, "head", { operand: /^-?c?\d+[GTPE]i?B?$/ }),
];

const privilege: readonly RiskRow[] = [
  row(keys.sudo, "sudo", { unless: "-l --list -V -k -K" }),
  row(keys.privilege, "doas su pkexec run0 gksudo gksu kdesu kdesudo runuser sg newgrp sudoedit visudo vipw vigr", {
    unless: "-l --list -V -k -K -v",
  }),
  row(keys.privilege, "machinectl", { sub: "shell, login, start, import-tar, bind" }),
  row(
    keys.privilege,
    "chroot unshare nsenter setpriv capsh pam_tally2 faillock systemd-nspawn lxc-attach lxc-execute runc crun setcap setfacl chattr " +
      "bwrap firejail nsjail minijail0 flatpak-spawn host-spawn distrobox-host-exec chcon restorecon semanage setsebool aa-disable aa-complain aa-teardown apparmor_parser auditctl",
    { unless: "--print -l --list" },
  ),
  row(keys.privilege, "chmod", { operand: /^(?:[0-7]*[2467][0-7]{3}|(?:.*,)?[ugoa]*[+=][rwxXt]*s.*)$/ }),
  row(keys.privilege, "chown chgrp", {
    operand: /^(?:root|0|:root|:0|root:.*|0:.*|:?wheel|:?sudo|:?docker)$/,
  }),
  row(keys.privilege, "chown chgrp", {
    any: "-R --recursive",
    operand: /^:?(?:nobody|daemon|bin|sys|www-data|nogroup|\d{5,})(?::|$)/,
  }),
  row(keys.privilege, "docker podman nerdctl", {
    sub: "exec",
    any: "-u --user --privileged",
    operand: /^(?:0|root|0:0|root:root|--privileged)$/,
  }),
  row(keys.privilege, "podman buildah", { sub: "unshare" }),
  row(keys.exhaustion, "printf", { operand: /%[-+ 0#]*\d{7,}/ }),
  row(keys.privilege, "install", { any: "-o -g --owner --group" }),
  row(keys.privilege, "install", { operand: /^[2467][0-7]{3}$/ }),
  row(
    keys.account,
    "useradd userdel usermod groupadd groupdel groupmod adduser addgroup deluser delgroup passwd chpasswd gpasswd newusers chage " +
      "pwconv pwunconv grpconv lpasswd luseradd chsh chfn",
    { unless: "-S --status" },
  ),
  row(
    keys.firewall,
    "iptables ip6tables iptables-restore ip6tables-restore arptables ebtables ipset ipvsadm nft ufw firewall-cmd pfctl ipfw",
    {
      unless:
        "-L -S --list --list-rules list status --state --list-all --get-zones --get-active-zones --list-ports -s show version -V",
    },
  ),
  row(keys.firewall, "setenforce aa-enforce"),
  row(keys.firewall, "ip", {
    sub: "link/l set/add/delete/del, addr/address/a add/del/delete/flush, route/r add/del/delete/flush/replace/change, rule add/del/flush, neigh add/del/flush, netns add/del/delete/exec/attach, tunnel add/del, xfrm, tuntap add/del",
  }),
  row(keys.firewall, "ifconfig", {
    operand: /^(?:up|down|add|del|delete|hw|mtu|promisc|netmask|\d+\.\d+\.\d+\.\d+)/,
  }),
  row(keys.firewall, "route", { sub: "add, del, delete, flush, change" }),
  row(keys.firewall, "arp", { any: "-s -d" }),
  row(keys.firewall, "nmcli", {
    sub: "~add, ~delete, ~modify, ~down, ~up, ~disconnect, ~off, ~set, ~edit, ~import",
  }),
  row(keys.firewall, "tc brctl ovs-vsctl wg-quick ifup ifdown iwconfig rfkill openvpn dhclient dhcpcd", {
    unless: "show list status -s",
  }),
];

/** What changes the machine itself: disks, power, services, processes, rights. */
export const machineRisks: readonly RiskRow[] = [...disk, ...power, ...services, ...processes, ...privilege];
