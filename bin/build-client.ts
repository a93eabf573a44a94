// Builds the client SDK: modules and type declarations that an application loads without this program around them.
// usage: node bin/build-client.ts [--out build/client]
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = resolve(import.meta.dirname, '..');

/** Compiles into a folder of its own, so that nobody ever loads half of a build. */
function compile(folder: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', join(root, 'src/client'), '--outDir', folder];
  // What it prints is about the source, and would otherwise be lost.
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  for (const file of globSync('*.d.ts', { cwd: folder })) nameModules(join(folder, file));
}

/** The compiler rewrites imports of `./x.ts` in modules, and leaves them in declarations. */
function nameModules(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/(from |import\()'(\.\/[\w-]+)\.ts'/g, "$1'$2.js'"));
}

/** Makes the folder a package of its own: an application may take it without the server and what that depends on. */
function describe(folder: string): void {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const manifest = {
    name: 'appctl-client',
    version,
    description: 'Client of the appctl license service.',
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = resolve(values.out ?? join(root, 'build/client'));
const fresh = `${out}.${process.pid}.new`;
try {
  mkdirSync(fresh, { recursive: true });
  compile(fresh);
  describe(fresh);
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
process.stdout.write(
  `${relative(process.cwd(), out) || out}: ${globSync('*.js', { cwd: out }).length} modules\n`,
);
