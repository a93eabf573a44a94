// What other people wrote and the executable contains, found in what the bundler read.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { partsOfLibvips, partsOfNode } from './parts.ts';
import type { Target } from './target.ts';

/** One work of others. */
export interface Component {
  readonly name: string;
  /** Empty where its makers give none. */
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** Package URL. */
  readonly purl: string;
  /** Of package-lock.json. */
  readonly integrity: string | null;
  /** The words of its license and notices. */
  readonly text: string;
  /** Packages of the same executable that it imports, by package URL. */
  readonly dependsOn: readonly string[];
  /** Works that it carries within itself. */
  readonly parts: readonly Component[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  /** As it was stated until 2014. */
  readonly licenses?: readonly { readonly type: string }[];
  readonly author?: string | { readonly name: string };
  readonly dependencies?: Record<string, string>;
}

/** What the LICENSE file says of packages that state no license, or none of SPDX; a new version is to be read again. */
const READ_BY_US: Readonly<Record<string, string>> = {
  'htmx.org@4.0.1': '0BSD',
  'png-js@2.0.0': 'MIT',
};

const LICENSE_FILE = /^(licen[cs]e|copying|notice|third[-_]party)/i;

/** Files below node_modules that a bundle contains something of. */
export function bundledFiles({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && file.includes('node_modules/'))
      .map(([file]) => file),
  );
}

/**
 * Describes every work of others in the executable.
 *
 * @param root of the repository
 * @param files that are inside, as paths with `node_modules/`, relative to the root or absolute
 * @returns Node first, then the packages by name
 * @throws Error for a package that states no license or no text of one
 */
export function componentsOf(root: string, target: Target, files: readonly string[]): Component[] {
  const folders = new Set(
    files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  const packages = [...folders].map((folder) => packageAt(root, folder));
  const known = new Map(packages.map((one) => [one.folder, purlOf(one.manifest)]));
  const described = packages.map(({ folder, manifest, place }) => ({
    ...describe(place, manifest),
    integrity: integrityOf(root, manifest, folder),
    dependsOn: Object.keys(manifest.dependencies ?? {})
      .flatMap((name) => resolvedFrom(folder, name, known) ?? [])
      .sort(),
  }));
  const unique = new Map(described.map((one) => [one.purl, one]));
  return [
    nodeOf(root, target),
    ...[...unique.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1)),
  ];
}

function packageAt(root: string, folder: string) {
  const place = folder.startsWith('/') ? folder : join(root, folder);
  return {
    folder,
    place,
    manifest: JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest,
  };
}

const purlOf = ({ name, version }: Manifest): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function describe(place: string, manifest: Manifest): Omit<Component, 'integrity' | 'dependsOn'> {
  const { name, version } = manifest;
  const parts = name.startsWith('@img/sharp-libvips') ? partsOfLibvips(place) : [];
  const license =
    READ_BY_US[`${name}@${version}`] ??
    manifest.license ??
    manifest.licenses?.map(({ type }) => type).join(' OR ');
  if (!license) throw new Error(`${name} states no license in its package.json`);
  return {
    name,
    version,
    license,
    purl: purlOf(manifest),
    text: textAt(place, { ...manifest, license }),
    parts,
  };
}

/** The files of a package that hold its license; otherwise the known words of that license, or its page about licenses. */
function textAt(place: string, { name, license, author }: Manifest): string {
  const texts = readdirSync(place)
    .filter((file) => LICENSE_FILE.test(file) && !/\.(js|json)$/.test(file))
    .sort()
    .map((file) => readFileSync(join(place, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length > 0) return texts.join('\n\n');
  const owner = typeof author === 'string' ? author.replace(/ *[<(].*/, '') : author?.name;
  const words = join(import.meta.dirname, 'licenses', `${license}.txt`);
  if (!existsSync(words))
    throw new Error(`${name} has no file with its license, and bin/licenses has no ${license}.txt`);
  const readme = join(place, 'README.md');
  const about = /^## Licen[cs]ing$[\s\S]*/m.exec(existsSync(readme) ? readFileSync(readme, 'utf8') : '')?.[0];
  const holder = `Copyright (c) ${owner ?? `the authors of ${name}`}`;
  return [about ?? holder, readFileSync(words, 'utf8')].join('\n\n').trim();
}

/** A copy below the package itself goes before one of a folder further up. */
function resolvedFrom(folder: string, name: string, known: ReadonlyMap<string, string>): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found =
      known.get(`${at}/node_modules/${name}`) ?? (at === '.' ? known.get(`node_modules/${name}`) : undefined);
    if (found !== undefined || at === '.' || at === '/') return found;
  }
}

function integrityOf(root: string, { name, version }: Manifest, folder: string): string | null {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string } | undefined>;
  };
  const locked = packages[folder] ?? packages[`node_modules/${name}`];
  return locked?.version === version ? (locked.integrity ?? null) : null;
}

function nodeOf(root: string, { name, node }: Target): Component {
  const manifest: Manifest = { name: `node-${name.replace('win32', 'win')}`, version: process.versions.node };
  const file = join(dirname(node), '../LICENSE');
  if (!existsSync(file))
    throw new Error(`${node} has no LICENSE in the folder above it: build with the Node of npm ci`);
  return {
    name: 'Node.js',
    version: process.versions.node,
    license: 'MIT',
    purl: purlOf(manifest),
    integrity: integrityOf(root, manifest, `node_modules/${manifest.name}`),
    text: readFileSync(file, 'utf8').trim(),
    dependsOn: [],
    parts: partsOfNode(),
  };
}
