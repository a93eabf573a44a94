#!/bin/sh
# Makes a machine of a Debian and starts its systemd. usage: debian-machine-init.sh LAYERS FOLDER SHARED NAME, as the first process of
# new namespaces for mounts, processes, network, names and cgroups
set -eu
layers=$1 folder=$2 shared=$3 name=$4
root=$folder/root

mount -t overlay -o "lowerdir=$layers,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
mount -t tmpfs -o mode=0755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/run/shared"
chmod 1777 "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
mount --bind "$shared" "$root/run/shared"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/full" c 1 7
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
mknod -m 666 "$root/dev/tty" c 5 0
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
hostname "$name"

# A chroot would not do: systemctl refuses to work in one, and services get a root of their own by the same call.
cd "$root"
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
# As on a machine that boots: systemd hands mounts on to its services.
mount --make-rshared /
echo "127.0.1.1 $name" >> /etc/hosts
exec env -i container=appctl PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system
