// Builds the one executable: a bundle, the shipped files and the native libraries inside the Node that runs this.
// usage: node bin/build.ts [--out build/appctl] [--reproducible]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { constants, zstdCompressSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import type { BuildInfo } from '../src/kernel/build-info.ts';
import { docsAssets } from '../src/kernel/http/docs.ts';
import type { NativeManifest } from '../src/kernel/native.ts';
import { FONT_FILES } from '../src/kernel/vendored-fonts.ts';
import { compress, compressedKey, compressibleAssets, VENDORED } from '../src/kernel/views/static-files.ts';
import { bundleBasics, unusedPlugin, youngGeneration } from './bundle.ts';
import { clientAsset } from './client-package.ts';
import { recordCodeCache, recording } from './code-cache.ts';
import { packedPlugin, packPackages } from './packed.ts';

const root = resolve(import.meta.dirname, '..');
/** Real path: a folder that is linked here names its files by it. */
const modules = realpathSync(join(root, 'node_modules'));
const platform = `${process.platform}-${process.arch}`;

/** Native libraries by package: path below node_modules to absolute file. */
type Natives = Map<string, Map<string, string>>;

/** A package with native code looks for it at computed paths, which no bundler follows: each needs its own line. */
type NativeRule = { packageName: string; lookup: RegExp; replacement: string };

const nativeRules: NativeRule[] = [
  {
    packageName: 'better-sqlite3',
    lookup: /better-sqlite3[\\/]lib[\\/]binding\.js$/,
    // The package's entry per platform would be plainer, but it refuses the option that knex always passes.
    replacement: `exports.getBinding = () => require('../prebuilds/${platform}.node');`,
  },
  {
    packageName: 'sharp',
    lookup: /sharp[\\/]dist[\\/]sharp\.cjs$/,
    replacement: `module.exports = require('@img/sharp-${platform}/sharp.node');`,
  },
];

/** sharp's addon finds libvips by a path relative to its own place, so both are unpacked into one folder. */
const addonOfSharp = `@img/sharp-${platform}`;
const foldersOfLibvips = [`@img/sharp-libvips-${platform}/lib`, `${addonOfSharp}/lib`];

/** Shared libraries that a package's addon loads by itself: path below node_modules to absolute file. */
function librariesBeside(packageName: string): [string, string][] {
  if (packageName !== addonOfSharp) return [];
  return foldersOfLibvips
    .flatMap((folder) => globSync(`${folder}/*.{so,so.*,dylib,dll}`, { cwd: modules }))
    .map((file) => [file.split(sep).join('/'), join(modules, file)]);
}

/** Collects each native library the bundle reaches and replaces it by a call of the loader in the kernel. */
function nativePlugin(found: Natives): Plugin {
  return {
    name: 'native-libraries',
    setup(bundler) {
      for (const { lookup, replacement } of nativeRules) {
        bundler.onLoad({ filter: lookup }, ({ path }) => ({
          contents: replacement,
          loader: 'js',
          resolveDir: dirname(path),
        }));
      }
      // Its ES module build loads the addon through createRequire, which the bundler does not follow.
      bundler.onResolve({ filter: /^sharp$/ }, ({ kind, resolveDir, importer }) =>
        kind === 'require-call'
          ? undefined
          : bundler.resolve('sharp', { kind: 'require-call', resolveDir, importer }),
      );
      bundler.onLoad({ filter: /\.node$/ }, ({ path }) => {
        const key = relative(modules, path).split(sep).join('/');
        const packageName = /^(@[^/]+\/)?[^/]+/.exec(key)?.[0] ?? key;
        const files = found.get(packageName) ?? new Map(librariesBeside(packageName));
        found.set(packageName, files.set(key, path));
        const load = `require('./src/kernel/native.ts').loadNative`;
        const args = `${JSON.stringify(packageName)}, ${JSON.stringify(key)}`;
        return { contents: `module.exports = ${load}(${args});`, loader: 'js', resolveDir: root };
      });
    },
  };
}

function bundleOptions(outfile: string, natives: Natives): BuildOptions {
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
    plugins: [unusedPlugin, packedPlugin, nativePlugin(natives)],
  };
}

/**
 * Takes away the line for the shell, and writes the characters that esbuild leaves in regular expressions as escapes:
 * one character beyond ASCII makes V8 hold the whole program with two bytes for each.
 */
function writeAsScript(file: string): void {
  const unitEscaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const escaped = (character: string) => character.split('').map(unitEscaped).join('');
  const text = readFileSync(file, 'utf8').replace(/^#!.*/, '');
  writeFileSync(file, text.replace(/\P{ASCII}/gu, escaped));
}

/** A wrong hash here would only be seen on the operator's machine, so the manifest is made from the same files. */
function nativeManifest(natives: Natives): NativeManifest {
  const packages = [...natives].sort(byName).map(([packageName, libraries]) => {
    const files = [...libraries].sort(byName).map(([key, path]) => {
      const data = readFileSync(path);
      return { key, sizeBytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
    });
    const id = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
    return [packageName, { id, files }] as const;
  });
  return Object.fromEntries(packages);
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
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

/** Key in the executable to file on disk: templates, the example of hooks, native libraries and the two files that describe them. */
function collectAssets(work: string, natives: Natives, info: BuildInfo): Record<string, string> {
  const described = { 'native.json': nativeManifest(natives), 'build.json': info };
  for (const [key, value] of Object.entries(described)) writeFileSync(join(work, key), JSON.stringify(value));
  const templates = globSync(['templates/**/*', 'hooks/*'], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file): [string, string] => [relative(root, file).split(sep).join('/'), file]);
  const compressed = compressibleAssets().flatMap((key) =>
    (['br', 'gzip'] as const).map((encoding): [string, string] => {
      const file = join(work, compressedKey(key.replaceAll('/', '-'), encoding));
      writeFileSync(file, compress(readFileSync(join(root, key)), encoding));
      return [compressedKey(key, encoding), file];
    }),
  );
  const libraries = [...natives.values()].flatMap((files) => [...files]);
  return Object.fromEntries([
    ...templates.sort(byName),
    ...compressed,
    ...[...docsAssets, ...Object.values(VENDORED), ...Object.values(FONT_FILES)].map(
      (key): [string, string] => [key, join(root, key)],
    ),
    ...libraries
      .sort(byName)
      .map(([key, file]): [string, string] => [`native/${key}`, packedLibrary(work, key, file)]),
    ...Object.keys(described).map((key): [string, string] => [key, join(work, key)]),
  ]);
}

/** Compressed: 20 MB of libraries are written to disk once, by whoever needs them first. @returns path of the file */
function packedLibrary(work: string, key: string, file: string): string {
  const packed = join(work, `${key.replaceAll('/', '-')}.zst`);
  const params = { [constants.ZSTD_c_compressionLevel]: 19 };
  writeFileSync(packed, zstdCompressSync(readFileSync(file), { params }));
  return packed;
}

/**
 * Turns the program and its assets into the blob that Node reads from inside the executable.
 * @param start what it runs first
 */
function makeBlob(work: string, start: string, assets: Record<string, string>): Buffer {
  writeFileSync(join(work, 'start.cjs'), start);
  const config = {
    // Relative, because the path becomes part of the blob.
    main: 'start.cjs',
    output: 'appctl.blob',
    disableExperimentalSEAWarning: true,
    execArgv: ['--disable-warning=ExperimentalWarning', ...youngGeneration],
    // Otherwise NODE_OPTIONS=--require would run foreign code inside of the program.
    execArgvExtension: 'none',
    assets,
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
  // What it prints appears in the error when it fails, and would only be noise otherwise.
  execFileSync(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: work, stdio: 'pipe' });
  return readFileSync(join(work, config.output));
}

type Inject = (file: string, name: string, data: Buffer, options: Record<string, string>) => Promise<void>;

/** Puts the blob into a copy of this Node and moves it into place at once, so that a running one is not disturbed. */
async function makeExecutable(blob: Buffer, out: string): Promise<void> {
  mkdirSync(dirname(out), { recursive: true });
  const [injected, fresh] = [`${out}.${process.pid}.injected`, `${out}.${process.pid}.new`];
  try {
    copyFileSync(process.execPath, injected);
    chmodSync(injected, 0o755);
    const { inject } = createRequire(import.meta.url)('postject') as { inject: Inject };
    await inject(injected, 'NODE_SEA_BLOB', blob, {
      sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      ...(process.platform === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {}),
    });
    // macOS runs no file whose signature broke.
    if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', injected]);
    // postject writes the file at once, and Linux keeps it in large blocks until it is read anew, which a process maps
    // whole: it would show 17 MB more resident than the same file on the machine that it is made for.
    copyFileSync(injected, fresh);
    renameSync(fresh, out);
  } finally {
    for (const file of [injected, fresh]) rmSync(file, { force: true });
  }
}

/** @returns the file of the code cache */
async function codeCacheOf(work: string, start: string, assets: Record<string, string>): Promise<string> {
  const recorder = join(work, 'recorder');
  await makeExecutable(makeBlob(work, start + recording, assets), recorder);
  return recordCodeCache(recorder, work);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, reproducible: { type: 'boolean', default: false } },
  });
  const started = performance.now();
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const out = resolve(values.out ?? join(root, `build/appctl${suffix}`));
  mkdirSync(join(root, 'build'), { recursive: true });
  const work = mkdtempSync(join(root, 'build', 'work-'));
  try {
    const natives: Natives = new Map();
    const bundle = join(work, 'main.js');
    await build(bundleOptions(bundle, natives));
    writeAsScript(bundle);
    const assets = {
      ...collectAssets(work, natives, describeBuild(values.reproducible)),
      ...Object.fromEntries(await packPackages(root, work)),
      ...(await clientAsset(root, work)),
      'main.js': bundle,
    };
    const start = readFileSync(join(import.meta.dirname, 'start.cjs'), 'utf8');
    // It differs from build to build.
    const cache = values.reproducible ? {} : { 'main.cache': await codeCacheOf(work, start, assets) };
    await makeExecutable(makeBlob(work, start, { ...assets, ...cache }), out);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const megabytes = (statSync(out).size / 1e6).toFixed(0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${relative(process.cwd(), out) || out}: ${megabytes} MB in ${seconds} s\n`);
}

await main();
