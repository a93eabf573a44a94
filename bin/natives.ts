// Native libraries: no bundler follows the computed paths by which their packages find them.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import type { Plugin } from 'esbuild';
import type { NativeManifest } from '../src/kernel/native.ts';
import type { Target } from './target.ts';

/** Native libraries by package: path below node_modules to absolute file. */
export type Natives = Map<string, Map<string, string>>;

/** A package with native code looks for it at computed paths, which no bundler follows: each needs its own line. */
type NativeRule = { lookup: RegExp; replacement: string };

const nativeRules = (platform: string): NativeRule[] => [
  {
    lookup: /better-sqlite3[\\/]lib[\\/]binding\.js$/,
    // The package's entry per platform would be plainer, but it refuses the option that knex always passes.
    replacement: `exports.getBinding = () => require('../prebuilds/${platform}.node');`,
  },
  {
    lookup: /sharp[\\/]dist[\\/]sharp\.cjs$/,
    replacement: `module.exports = require('@img/sharp-${platform}/sharp.node');`,
  },
];

/**
 * Shared libraries that a package's addon loads by itself: path below node_modules to absolute file. The addon of sharp
 * finds libvips by a path relative to its own place, so both are unpacked into one folder.
 */
function librariesBeside(packageName: string, { name, modules }: Target): [string, string][] {
  const addonOfSharp = `@img/sharp-${name}`;
  if (packageName !== addonOfSharp) return [];
  return [`@img/sharp-libvips-${name}/lib`, `${addonOfSharp}/lib`]
    .flatMap((folder) => globSync(`${folder}/*.{so,so.*,dylib,dll}`, { cwd: modules }))
    .map((file) => [file.split(sep).join('/'), join(modules, file)]);
}

/** Path of a file below the folder of packages that it lies in. */
const keyOf = (path: string): string =>
  path
    .split(sep)
    .join('/')
    .replace(/^.*\/node_modules\//, '');

/**
 * Collects each native library the bundle reaches and replaces it by a call of the loader in the kernel.
 *
 * @param root of the repository
 * @param found gets them
 */
export function nativePlugin(root: string, target: Target, found: Natives): Plugin {
  const addon = new RegExp(`^@img/sharp-${target.name}/sharp\\.node$`);
  return {
    name: 'native-libraries',
    setup(bundler) {
      for (const { lookup, replacement } of nativeRules(target.name)) {
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
      bundler.onResolve({ filter: addon }, () => {
        const [file = ''] = globSync(`@img/sharp-${target.name}/lib/*.node`, { cwd: target.modules });
        return { path: join(target.modules, file) };
      });
      bundler.onLoad({ filter: /\.node$/ }, ({ path }) => {
        const key = path.startsWith(target.modules)
          ? relative(target.modules, path).split(sep).join('/')
          : keyOf(path);
        const packageName = /^(@[^/]+\/)?[^/]+/.exec(key)?.[0] ?? key;
        const files = found.get(packageName) ?? new Map(librariesBeside(packageName, target));
        found.set(packageName, files.set(key, path));
        const load = `require('./src/kernel/native.ts').loadNative`;
        const args = `${JSON.stringify(packageName)}, ${JSON.stringify(key)}`;
        return { contents: `module.exports = ${load}(${args});`, loader: 'js', resolveDir: root };
      });
    },
  };
}

/** A wrong hash here would only be seen on the operator's machine, so the manifest is made from the same files. */
export function nativeManifest(natives: Natives): NativeManifest {
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

/** Order of keys that is the same on every machine. */
export function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

/** Compressed: 20 MB of libraries are written to disk once, by whoever needs them first. @returns path of the file */
export function packedLibrary(work: string, key: string, file: string): string {
  const packed = join(work, `${key.replaceAll('/', '-')}.zst`);
  const params = { [constants.ZSTD_c_compressionLevel]: 19 };
  writeFileSync(packed, zstdCompressSync(readFileSync(file), { params }));
  return packed;
}
