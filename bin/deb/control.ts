// What dpkg reads of a package: its facts, and the scripts in bin/deb/scripts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackagedFile } from './archive.ts';
import { MAINTAINER } from './contents.ts';
import type { Facts } from './facts.ts';

const SCRIPTS = ['postinst', 'prerm', 'postrm'] as const;

export function controlOf({ version, arch }: Facts, contents: readonly PackagedFile[]): PackagedFile[] {
  const kibibytes = contents.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 1024), 0);
  const control = `Package: appctl
Version: ${version}
Architecture: ${arch}
Maintainer: ${MAINTAINER}
Installed-Size: ${kibibytes}
Depends: adduser, debconf (>= 0.5) | debconf-2.0, libc6 (>= 2.28), libgcc-s1, libstdc++6
Section: net
Priority: optional
Description: license keys and a storefront for people who sell software
 A server that issues and validates license keys, delivers signed updates and
 runs a shop, with everything in one executable. It is started by systemd, and
 keeps its data in /var/lib/appctl.
`;
  const file = (path: string, text: string, mode = 0o644): PackagedFile => ({
    path,
    mode,
    bytes: Buffer.from(text),
  });
  const shipped = (name: string): string => readFileSync(join(import.meta.dirname, 'scripts', name), 'utf8');
  const configuration = contents.filter(({ isConfiguration }) => isConfiguration);
  return [
    file('control', control),
    file('conffiles', configuration.map(({ path }) => `/${path}\n`).join('')),
    file(
      'md5sums',
      contents
        .filter((one) => !one.isConfiguration)
        .map(sumLine)
        .join(''),
    ),
    file('templates', shipped('templates')),
    ...SCRIPTS.map((name) => file(name, shipped(name), 0o755)),
  ];
}

const sumLine = ({ path, bytes }: PackagedFile): string =>
  `${createHash('md5').update(bytes).digest('hex')}  ${path}\n`;
