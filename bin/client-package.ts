// The client SDK as a package: two modules, their type declarations, a README, and the archive that npm installs.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { tarball } from './tarball.ts';

const ENTRIES = ['index', 'node'] as const;

export interface ClientPackage {
  readonly version: string;
  /** As `npm pack` lays it out; the same bytes for the same sources. */
  readonly tarball: Buffer;
}

/**
 * Makes the package.
 *
 * @param root of the repository
 * @param folder gets its files; must not exist
 */
export async function makeClient(root: string, folder: string): Promise<ClientPackage> {
  mkdirSync(folder, { recursive: true });
  await bundle(root, folder);
  declare(root, folder);
  cpSync(join(root, 'src/client/README.md'), join(folder, 'README.md'));
  const manifest = manifestOf(root);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const files = readdirSync(folder).map((name): [string, Buffer] => [
    `package/${name}`,
    readFileSync(join(folder, name)),
  ]);
  return { version: manifest.version, tarball: tarball(files) };
}

/**
 * The archive as the executable holds it, for the program to serve (src/platform/client-package).
 *
 * @returns key in the executable to file on disk
 */
export async function clientAsset(root: string, work: string): Promise<Record<string, string>> {
  const { version, tarball } = await makeClient(root, join(work, 'client'));
  const file = join(work, 'client.tgz');
  writeFileSync(file, tarball);
  return { [`build/appctl-client-${version}.tgz`]: file };
}

/** One module for every platform, and one that adds what needs the files of Node. */
async function bundle(root: string, folder: string): Promise<void> {
  for (const entry of ENTRIES) {
    await build({
      entryPoints: [join(root, `src/client/${entry}.ts`)],
      outfile: join(folder, `${entry}.js`),
      bundle: true,
      format: 'esm',
      target: 'es2022',
      platform: 'neutral',
      external: ['node:*'],
      legalComments: 'none',
      logLevel: 'warning',
      plugins: entry === 'node' ? [sharedModule] : [],
    });
  }
}

/** `instanceof ClientError` must be one question in an application that loads both modules. */
const sharedModule: Plugin = {
  name: 'shared-module',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/(index|errors)\.ts$/ }, () => ({ path: './index.js', external: true }));
  },
};

/** The declarations that the entries reach; the others are about the inside. */
function declare(root: string, folder: string): void {
  const made = mkdtempSync(`${folder}.types-`);
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const project = join(root, 'src/client/tsconfig.node.json');
    const args = [compiler, '-p', project, '--emitDeclarationOnly', '--outDir', made];
    // What it prints is about the source, and would otherwise be lost.
    execFileSync(process.execPath, args, { cwd: dirname(folder), stdio: 'inherit' });
    const wanted: string[] = [...ENTRIES];
    for (const name of wanted) {
      const text = readFileSync(join(made, `${name}.d.ts`), 'utf8').replace(IMPORTED, "$1'./$2.js'");
      writeFileSync(join(folder, `${name}.d.ts`), text);
      const targets = [...text.matchAll(/'\.\/([\w-]+)\.js'/g)].map(([, target = '']) => target);
      wanted.push(...targets.filter((target) => !wanted.includes(target)));
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The compiler rewrites imports of `./x.ts` in modules, and leaves them in declarations. */
const IMPORTED = /(from |import\()'\.\/([\w-]+)\.ts'/g;

function manifestOf(root: string) {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
  };
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  return {
    name: 'appctl-client',
    version,
    description:
      'License keys for applications: activation, offline use, floating seats, usage and signed updates.',
    keywords: ['license', 'license-key', 'licensing', 'activation', 'offline', 'floating-license', 'updates'],
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    main: './index.js',
    types: './index.d.ts',
    exports: { '.': entry('index'), './node': entry('node'), './package.json': './package.json' },
  };
}
