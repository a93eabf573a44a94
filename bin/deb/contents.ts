// The files that a package puts on a machine.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { gzipped } from '../tarball.ts';
import type { PackagedFile } from './archive.ts';
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
appctl: initial-upload-closes-no-bugs
# The works of others, each with its own license, as appctl version --licenses prints them.
appctl: copyright-without-copyright-notice
appctl: spelling-error-in-copyright
appctl: spelling-error-in-binary
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
  const { unit, socket } = unitsOf(run);
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
    text(`${doc}/copyright`, copyrightOf(root)),
    { path: `${doc}/changelog.gz`, mode: 0o644, bytes: gzipped(Buffer.from(changelogOf(version, seconds))) },
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
    text.replace(/^# Written by .*\n/, '# Part of the package appctl\n');
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

function copyrightOf(root: string): string {
  const file = join(root, 'build/licenses.json.br');
  if (!existsSync(file)) throw new Error(`${file} is missing: npm run build first`);
  const works = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as Work[];
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: appctl',
    '',
    'Files: *',
    'Copyright: the authors of appctl',
    'License: proprietary',
    ' All rights reserved. The program contains the works of others below, each under its own license.',
    ...works.flatMap(({ name, version, license, text }) => [
      '',
      '-'.repeat(80),
      `${name} ${version} (${license})`,
      '',
      text.trim(),
    ]),
    '',
  ].join('\n');
}

function changelogOf(version: string, seconds: number): string {
  const at = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  return `appctl (${version}) stable; urgency=medium\n\n  * Version ${version}.\n\n -- ${MAINTAINER}  ${at}\n`;
}

/** Nobody reads mail there: who made the package is whoever built it. */
export const MAINTAINER = 'appctl maintainers <maintainers@appctl.invalid>';
