// Builds the one executable: a bundle, the shipped files and the native libraries inside a Node.
// usage: node bin/build.ts [--out build/appctl] [--reproducible] [--target linux-arm64]
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { BILL_OF_MATERIALS, LICENSES } from '../src/kernel/build-contents.ts';
import type { BuildInfo } from '../src/kernel/build-info.ts';
import { bundleBasics, unusedPlugin } from './bundle.ts';
import { clientAsset } from './client-package.ts';
import { recordCodeCaches, recording, recordingFlags } from './code-cache.ts';
import { bundledFiles, componentsOf } from './components.ts';
import { makeBlob, makeExecutable } from './executable.ts';
import { type Natives, nativePlugin } from './natives.ts';
import { withOwnScopes } from './own-scopes.ts';
import { packedPlugin, packPackages } from './packed.ts';
import { billOfMaterials, licensedWorks } from './sbom.ts';
import { collectAssets, vendoredFiles } from './shipped.ts';
import { type Target, targetOf } from './target.ts';

const root = resolve(import.meta.dirname, '..');

function bundleOptions(outfile: string, target: Target, natives: Natives) {
  return {
    ...bundleBasics(root),
    entryPoints: ['bin/appctl.js'],
    format: 'cjs',
    outfile,
    charset: 'ascii',
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      'import.meta.url': 'importMetaUrl',
    },
    banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [unusedPlugin, packedPlugin, nativePlugin(root, target, natives)],
    metafile: true,
  } satisfies BuildOptions;
}

/**
 * Takes away the line for the shell, puts the program into the function that the start calls, and writes the characters
 * that esbuild leaves in regular expressions as escapes: one character beyond ASCII makes V8 hold the whole program with
 * two bytes for each.
 */
function writeAsScript(file: string): void {
  const unitEscaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const escaped = (character: string) => character.split('').map(unitEscaped).join('');
  const text = withOwnScopes(readFileSync(file, 'utf8').replace(/^#!.*/, ''));
  const script = text.replace(/\P{ASCII}/gu, escaped);
  // Put together at the start, the text would be copied for it.
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname) {${script}\n})`);
}

/**
 * @param reproducible takes the commit's time for the build's, so that two builds of one commit are equal
 */
function describeBuild(reproducible: boolean): BuildInfo {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const commit = git('rev-parse', 'HEAD');
  const committedAt = git('show', '-s', '--format=%ct', 'HEAD');
  const commitTime = committedAt === null ? null : new Date(Number(committedAt) * 1000).toISOString();
  return { version, commit, builtAt: reproducible ? commitTime : new Date().toISOString() };
}

/** A source archive without git, or a repository without a commit, builds too: then the answer is null. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

/** @returns the assets with compiled code */
async function codeCachesOf(
  work: string,
  start: string,
  assets: Record<string, string>,
  reproducible: boolean,
): Promise<Record<string, string>> {
  const recorder = join(work, 'recorder');
  const blob = makeBlob(work, recording(start), assets, recordingFlags);
  await makeExecutable(process.execPath, blob, assets, recorder);
  return recordCodeCaches(recorder, join(work, 'main.js'), work, reproducible);
}

/** The two files about what others wrote: key in the executable to file on disk. */
function contentsAssets(
  work: string,
  info: BuildInfo,
  target: Target,
  files: readonly string[],
): Record<string, string> {
  const components = componentsOf(root, target, files);
  const [bill, licenses] = [join(work, 'appctl.cdx.json'), join(work, 'licenses.json.br')];
  writeFileSync(bill, billOfMaterials(info, target.name, components));
  writeFileSync(licenses, brotliCompressSync(JSON.stringify(licensedWorks(components))));
  return { [BILL_OF_MATERIALS]: bill, [LICENSES]: licenses };
}

/** @returns the assets, among them the program */
async function makeAssets(work: string, target: Target, info: BuildInfo): Promise<Record<string, string>> {
  const natives: Natives = new Map();
  const bundle = join(work, 'main.js');
  const read: Metafile[] = [];
  read.push((await build(bundleOptions(bundle, target, natives))).metafile);
  writeAsScript(bundle);
  const packed = await packPackages(root, work, undefined, (metafile) => read.push(metafile));
  const libraries = [...natives.values()].flatMap((files) => [...files.values()]);
  return {
    ...collectAssets(root, work, natives, info),
    ...Object.fromEntries(packed),
    ...(await clientAsset(root, work)),
    ...contentsAssets(work, info, target, [...read.flatMap(bundledFiles), ...vendoredFiles(), ...libraries]),
    'main.js': bundle,
  };
}

/** The files that the executable and its source read by the same name. */
function keepContents(assets: Record<string, string>, out: string, isOwn: boolean): void {
  const copy = (key: string, place: string): void => copyFileSync(assets[key] ?? '', place);
  copy(BILL_OF_MATERIALS, `${out.replace(/\.exe$/, '')}.cdx.json`);
  if (!isOwn) return;
  for (const key of [BILL_OF_MATERIALS, LICENSES]) copy(key, join(root, key));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      reproducible: { type: 'boolean', default: false },
      target: { type: 'string' },
    },
  });
  const started = performance.now();
  const target = targetOf(root, values.target, values.reproducible);
  const suffix = `${target.isOwn ? '' : `-${target.name}`}${target.name.startsWith('win32') ? '.exe' : ''}`;
  const out = resolve(values.out ?? join(root, `build/appctl${suffix}`));
  mkdirSync(join(root, 'build'), { recursive: true });
  mkdirSync(dirname(out), { recursive: true });
  const work = mkdtempSync(join(root, 'build', 'work-'));
  try {
    const assets = await makeAssets(work, target, describeBuild(values.reproducible));
    const start = readFileSync(join(import.meta.dirname, 'start.cjs'), 'utf8');
    // Only a program that runs here can be recorded; another machine compiles at each start.
    const caches = target.isOwn ? await codeCachesOf(work, start, assets, values.reproducible) : {};
    const all = { ...assets, ...caches };
    await makeExecutable(target.node, makeBlob(work, start, all), all, out);
    keepContents(assets, out, target.isOwn);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const megabytes = (statSync(out).size / 1e6).toFixed(0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${relative(process.cwd(), out) || out}: ${megabytes} MB in ${seconds} s\n`);
}

await main();
