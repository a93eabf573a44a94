// The files that a package puts on a machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { gzipped } from '../tarball.ts';
import type { PackagedFile } from './archive.ts';
import { builtFile } from './built.ts';
import type { Facts } from './facts.ts';

const EXE = '/usr/bin/appctl';
const CONFIGURATION = `# Configuration of appctl: appctl config init --full shows every key.
data_dir = "/var/lib/appctl"

[secret]
master_key_file = "/etc/appctl/master.key"
`;
const SYSUSERS = 'u appctl - "appctl service" /var/lib/appctl\n';
const TMPFILES = 'd /var/lib/appctl 0700 appctl appctl\n';
const OVERRIDES = `# Node carries its libraries inside of itself, and the program lies at the end of its file.
appctl: embedded-library
appctl: unstripped-binary-or-object
appctl: hardening-no-pie
appctl: hardening-no-fortify-functions
appctl: spelling-error-in-binary
# The one question is asked when the package is purged: there is nothing to ask on installation.
appctl: no-debconf-config
# The server of this package is meant, and not another appctl that comes first on PATH.
appctl: command-with-path-in-maintainer-script /usr/bin/appctl *
# Debian starts it by systemd; elsewhere somebody starts appctl serve.
appctl: package-supports-alternative-init-but-no-init.d-script
`;
const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/appctl',
  zsh: 'usr/share/zsh/vendor-completions/_appctl',
  fish: 'usr/share/fish/vendor_completions.d/appctl.fish',
};

/** @param root of the repository, whose sources say what units and completions are */
export function contentsOf(root: string, exe: Buffer, { version, seconds }: Facts): PackagedFile[] {
  const run = (...words: string[]): string =>
    execFileSync(process.execPath, [join(root, 'bin/appctl.js'), ...words], {
      encoding: 'utf8',
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, HOME: tmpdir() },
      maxBuffer: 64 * 1024 * 1024,
    });
  const text = (path: string, words: string, more: Partial<PackagedFile> = {}): PackagedFile => ({
    path,
    mode: 0o644,
    bytes: Buffer.from(words),
    ...more,
  });
  const packed = (path: string, words: string): PackagedFile => ({
    path,
    mode: 0o644,
    bytes: gzipped(Buffer.from(words)),
  });
  const { unit, socket } = unitsOf(run);
  const works = worksOf(root);
  const doc = 'usr/share/doc/appctl';
  return [
    { path: EXE.slice(1), mode: 0o755, bytes: exe },
    text('usr/lib/systemd/system/appctl.service', unit),
    text('usr/lib/systemd/system/appctl.socket', socket),
    text('usr/lib/sysusers.d/appctl.conf', SYSUSERS),
    text('usr/lib/tmpfiles.d/appctl.conf', TMPFILES),
    text('etc/appctl/appctl.toml', CONFIGURATION, { isConfiguration: true }),
    ...Object.entries(COMPLETIONS).map(([shell, path]) => text(path, run('completion', shell))),
    ...manualOf(run),
    text(`${doc}/copyright`, copyrightOf(works, new Date(seconds * 1000).getUTCFullYear())),
    packed(`${doc}/works-of-others.gz`, textsOf(works)),
    packed(`${doc}/changelog.gz`, changelogOf(version, seconds)),
    text('usr/share/lintian/overrides/appctl', OVERRIDES),
  ];
}

/** As `appctl service print` makes them, for the account and the place of the package. */
function unitsOf(run: (...words: string[]) => string): { unit: string; socket: string } {
  const { unit, socket } = JSON.parse(
    run('service', 'print', '--user', 'appctl', '--exe', EXE, '--json'),
  ) as Record<'unit' | 'socket', string>;
  // Files with that line may be replaced by `service install`, and those of a package may not.
  const owned = (text: string): string =>
    text
      .replace(/^# Written by .*\n/, '# Part of the package appctl\n')
      .replace(/^Description=.*$/m, '$&\nDocumentation=man:appctl(1)');
  return { unit: owned(unit), socket: owned(socket) };
}

/** The pages for man. */
function manualOf(run: (...words: string[]) => string): PackagedFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'appctl-man-'));
  try {
    run('docs', 'man', '--out', folder, '--json');
    return (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => /\.[1-8]$/.test(name))
      .sort()
      .map((name) => ({
        path: `usr/share/man/man${name.at(-1)}/${basename(name)}.gz`,
        mode: 0o644,
        bytes: gzipped(readFileSync(join(folder, name))),
      }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Work {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

function worksOf(root: string): readonly Work[] {
  const file = builtFile(join(root, 'build/licenses.json.br'));
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8'));
}

/** The texts of others fill a file of their own: Debian wants those that it has itself named, and not repeated. */
const copyrightOf = (
  works: readonly Work[],
  year: number,
): string => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: appctl
Comment: The program contains the works of others below, each under its own
 license. Their notices and licenses are in
 /usr/share/doc/appctl/works-of-others.gz, and appctl version --licenses prints
 them. Licenses that many works share are in /usr/share/common-licenses, such as
 /usr/share/common-licenses/Apache-2.0 and /usr/share/common-licenses/LGPL-3.
 .
${works.map(({ name, version, license }) => ` ${name} ${version} (${license})\n`).join('')}
Files: *
Copyright: ${year} the authors of appctl
License: proprietary
 All rights reserved.
`;

/** As each license wants it, with its notice of copyright. */
const textsOf = (works: readonly Work[]): string =>
  works
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);

function changelogOf(version: string, seconds: number): string {
  const at = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  return `appctl (${version}) stable; urgency=medium\n\n  * Version ${version}.\n\n -- ${MAINTAINER}  ${at}\n`;
}

/** Nobody reads mail there: who made the package is whoever built it. */
export const MAINTAINER = 'appctl maintainers <maintainers@appctl.invalid>';
