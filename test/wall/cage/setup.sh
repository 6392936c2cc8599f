#!/bin/sh
# Builds the cage's root and enters it. Runs as root of a user, mount, process and network namespace of its own (see
# cage.ts); nothing here can change a file of the machine: every folder of it is bound read-only, and everything
# that can be written lies in memory. The second user namespace at the end locks all of these mounts.
set -eu
# CAGE_ROOT an empty folder; CAGE_BINDS lines "source target", read-only; CAGE_HIDE programs to hide; CAGE_NODE; CAGE_SIZE
mount -t tmpfs -o size="$CAGE_SIZE",mode=755 cage "$CAGE_ROOT"
cd "$CAGE_ROOT"
mkdir -p proc sys dev etc tmp run var home srv opt mnt root old
chmod 1777 tmp
chmod 700 root
for name in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$name" ]; then cp -P "/$name" "$name"
  elif [ -d "/$name" ]; then mkdir "$name" && mount --rbind "/$name" "$name" && mount -o remount,bind,ro "$name"
  fi
done
mkdir usr && mount --rbind /usr usr && mount -o remount,bind,ro,nosuid usr
printf '%s\n' "$CAGE_BINDS" | while read -r source target; do
  [ -n "$source" ] || continue
  if [ -d "$source" ]; then mkdir -p ".$target"; else mkdir -p "$(dirname ".$target")" && : >".$target"; fi
  mount --rbind "$source" ".$target"
  mount -o remount,bind,ro,nosuid ".$target"
done
for program in $CAGE_HIDE; do [ ! -e ".$program" ] || mount --bind /dev/null ".$program"; done
for name in null zero full random urandom tty; do : >"dev/$name" && mount --bind "/dev/$name" "dev/$name"; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs -o size=64m shm dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
for name in ld.so.cache ld.so.conf ld.so.conf.d alternatives nsswitch.conf ssl protocols services bash.bashrc \
  inputrc mime.types python3 python3.11 java-17-openjdk maven localtime debian_version; do
  [ ! -e "/etc/$name" ] || cp -a "/etc/$name" "etc/$name" 2>/dev/null || true
done
mkdir -p var/lib var/log var/tmp var/cache var/spool run/user/1000
chmod 1777 var/tmp
ln -s /run var/run
mount -t proc proc proc
ip link set lo up
for address in $CAGE_ADDRESSES; do ip addr add "$address" dev lo; done
echo 0 >proc/sys/net/ipv4/ip_unprivileged_port_start
hostname cage
pivot_root . old
cd /
umount -l /old
rmdir /old
mount -o remount,bind,nosuid /
# The first process stays a shell: it collects orphans, and the driver can be killed like any other program of the user.
exec env -i $CAGE_ENVIRONMENT unshare --user --map-user=1000 --map-group=1000 --mount -- \
  prlimit --nproc=700 --core=0 --nofile=4096 -- \
  /bin/sh -c '"$@"; exit $?' cage "$CAGE_NODE" "$@"
