#!/bin/bash
# The base of the pods' image as a tar of a Debian root: what deploy/container/Containerfile installs, PHP-FPM and MariaDB
# beside it. Made with Debian's debootstrap, once; and the image of the `pause` that holds a pod's namespaces.
. "$(dirname "$0")/common.sh"
mkdir -p "$D/images" "$D/dl"
packages=ca-certificates,coreutils,git,iproute2,openssh-client,perl,tini,util-linux,mariadb-server
for extension in fpm cli sqlite3 mysql curl gd mbstring xml zip intl; do packages+=,php8.2-$extension; done

if [ ! -e "$D/base.tar" ]; then
  cd "$D/dl"
  compgen -G 'debootstrap_*.deb' > /dev/null || apt-get -q -o APT::Sandbox::User=root download debootstrap
  dpkg -x debootstrap_*.deb "$D/root"
  rm -rf "$D/base"
  # In mounts of its own: whatever debootstrap mounts ends with it, also when it is killed.
  DEBOOTSTRAP_DIR=$D/root/usr/share/debootstrap unshare --mount "$D/root/usr/sbin/debootstrap" --variant=minbase \
    --include="$packages" bookworm "$D/base" http://deb.debian.org/debian > "$D/debootstrap.log" 2>&1 ||
    fail "debootstrap failed; $D/debootstrap.log has its last words"
  rm -rf "$D"/base/var/cache/apt/archives/*.deb "$D"/base/var/lib/apt/lists/* "$D"/base/var/lib/mysql
  tar -C "$D/base" --numeric-owner --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' -cf "$D/base.tar.part" .
  mv "$D/base.tar.part" "$D/base.tar"
  rm -rf "$D/base"
fi
echo "$D/base.tar"
