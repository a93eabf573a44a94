// The program as plain JavaScript for the tests that start it hundreds of times: Node strips the types of 1,700 files on
// no start, and looks none of them up. A server needs 0.8 s of a processor instead of 1.2 s, a command 0.25 s instead
// of 0.4 s.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleBasics, unusedPlugin } from '../../bin/bundle.ts';

const root = join(import.meta.dirname, '../..');
const SOURCE_FOLDER = join(root, 'src');
const folder = join(root, 'build/test-program');
/** Its library is found from its own folder. */
const NATIVE = 'better-sqlite3';
const ENTRY = 'appctl.mjs';
/** What is part of the bundle or decides what it is. Templates are not: the program reads them where they lie. */
const SOURCES = [
  'src/**/*.ts',
  'migrations/*.ts',
  'bin/bundle.ts',
  'package-lock.json',
  'test/support/bundled-program.ts',
];
/** Another run of the tests may still use a bundle of sources that have changed since. */
const KEPT_MS = 3_600_000;

/**
 * Bundles the sources as they are now, unless that was done before: the folder's name is the hash of every file of
 * them, so an old bundle is never taken for a new one.
 * @returns absolute path of the script to start with Node in place of `bin/appctl.js`
 * @throws Error of esbuild when the sources cannot be bundled
 */
export async function bundledProgram(): Promise<string> {
  const finished = join(folder, sourcesHash(root));
  if (!existsSync(finished)) await bundle(finished);
  return join(finished, ENTRY);
}

/**
 * Tells one state of the sources from every other, by the names and bytes of all files and the version of Node.
 * @param root absolute path of a repository
 * @returns 20 hexadecimal digits
 */
export function sourcesHash(root: string): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of globSync(SOURCES, { cwd: root }).sort()) {
    const bytes = readFileSync(join(root, file));
    hash.update(`\n${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex').slice(0, 20);
}

/** Another process may be at it as well: the first to finish gives its folder the name. */
async function bundle(finished: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  removeOld();
  const work = mkdtempSync(join(folder, 'new-'));
  try {
    await build(optionsOf(work));
    // A server that gives its rights up reads it as another user.
    chmodSync(work, 0o755);
    if (!existsSync(finished)) renameSync(work, finished);
  } catch (error) {
    if (!existsSync(finished)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const removeOld = (): void => {
  for (const name of readdirSync(folder)) {
    const left = statSync(join(folder, name), { throwIfNoEntry: false });
    if (left !== undefined && left.mtimeMs < Date.now() - KEPT_MS)
      rmSync(join(folder, name), { recursive: true, force: true });
  }
};

/**
 * Node finds the names in a package that is no ES module when it is imported on demand, esbuild only its default: a
 * module of the same names stands before each.
 */
const namedPlugin: Plugin = {
  name: 'names-of-packages',
  setup(bundler) {
    bundler.onResolve({ filter: /^[^.#/]/ }, ({ kind, path, importer }) =>
      kind === 'dynamic-import' && importer.startsWith(SOURCE_FOLDER) && !isBuiltin(path) && path !== NATIVE
        ? { path, namespace: 'named' }
        : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'named' }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object);
      const named = names.filter((name) => name !== 'default' && name !== 'module.exports');
      const contents = `
        import * as namespace from '${path}';
        const all = { ...namespace };
        export const { ${named.join(', ')} } = all;
        export default all.default;`;
      return { contents, resolveDir: root };
    });
  },
};

/** In pieces, because a short command then reads only those that it needs: one file cost it as much as the sources. */
const optionsOf = (outdir: string) => ({
  ...bundleBasics(root),
  stdin: { contents: START, resolveDir: root, sourcefile: 'appctl.js' },
  format: 'esm' as const,
  splitting: true,
  outdir,
  entryNames: 'appctl',
  outExtension: { '.js': '.mjs' },
  // Shipped files lie where they lie for the sources (src/kernel/assets.ts).
  define: {
    'import.meta.dirname': JSON.stringify(join(root, 'src/kernel')),
    __dirname: JSON.stringify(root),
    __filename: JSON.stringify(join(root, 'bin/appctl.js')),
  },
  external: [...bundleBasics(root).external, NATIVE],
  plugins: [unusedPlugin, namedPlugin],
});

/** In place of bin/appctl.js. Packages that are no ES modules ask for Node's own by `require`. */
const START = `
import { createRequire, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
enableCompileCache(fileURLToPath(new URL('compiled', import.meta.url)));
globalThis.require = createRequire(import.meta.url);
void import('./src/cli/index.ts').then(({ main }) => main());
`;
