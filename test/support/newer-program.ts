// Another version of the program: a copy of its sources with a higher version and one more migration, and scripts that
// start either, which an upgrade exchanges as it does with executables.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { signBundle } from '#signing/releases/bundle-signature.ts';
import type { MinisignSigner } from '#signing/releases/minisign-signature.ts';
import type { SignatureRecord } from '#signing/releases/signature-form.ts';
import { StatementInput } from '#signing/releases/statement.ts';
import { program } from './cli-process.ts';

const root = join(import.meta.dirname, '../..');
export const NEWER_MIGRATION = '9000-newer';
export const NEWER_VERSION = '9.0.0';

const MIGRATION = `export const m9000Newer = {
  name: '${NEWER_MIGRATION}',
  async up(knex) {
    await knex.schema.createTable('newer_things', (t) => void t.text('id'));
  },
  async down(knex) {
    await knex.schema.dropTable('newer_things');
  },
};
`;

/** How the newer version is. */
export type Health =
  | 'sound'
  /** Its server ends at once. */
  | 'ends'
  /** Its server ends after it has migrated the database. */
  | 'ends-after-migrating'
  /** Its server takes over, and its health check fails. */
  | 'unhealthy';

/** Copies the sources below a folder. @returns the script that Node starts */
export function copyNewer(folder: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  execFileSync('cp', ['-a', join(root, 'src'), join(root, 'migrations'), folder]);
  execFileSync('cp', ['-a', join(root, 'bin/appctl.js'), join(folder, 'bin')]);
  for (const name of ['templates', 'hooks', 'node_modules', 'build'])
    symlinkSync(join(root, name), join(folder, name));
  const info = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...info, version: NEWER_VERSION }));
  writeFileSync(join(folder, `migrations/${NEWER_MIGRATION}.ts`), MIGRATION);
  const list = join(folder, 'migrations/index.ts');
  const step = `  '${NEWER_MIGRATION}': async () => (await import('./${NEWER_MIGRATION}.ts')).m9000Newer,\n};\n`;
  writeFileSync(list, readFileSync(list, 'utf8').replace(/};\n$/, step));
  return join(folder, 'bin/appctl.js');
}

/** Writes a script that starts this version. */
export const writeCurrent = (path: string): void => writeStarter(path, program, '');

/** Writes a script that starts the other version. @param script of `copyNewer` */
export function writeNewer(path: string, script: string, health: Health = 'sound'): void {
  const start = `'${process.execPath}' '${script}'`;
  const servers = {
    sound: '',
    ends: `[ "$1" != serve ] || { echo 'no such luck' >&2; exit 3; }\n`,
    unhealthy: `[ "$1" != health ] || { ${start} "$@" > /dev/null; echo 'no such luck' >&2; exit 9; }\n`,
    'ends-after-migrating': `[ "$1" != serve ] || { ${start} migrate up --no-backup >&2; exit 3; }\n`,
  };
  writeStarter(path, script, servers[health]);
}

const writeStarter = (path: string, script: string, before: string): void =>
  writeFileSync(path, `#!/bin/sh\n${before}exec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 });

type Facts = Partial<StatementInput>;

/** Keys of a vendor. */
export interface Vendor {
  /** Base64, as `update.pubkey` takes it. */
  readonly publicKey: string;
  /** Signs a file as a release of this program, beside it. @param facts null: without a statement */
  sign(file: string, facts?: Facts | null): Promise<SignatureRecord>;
}

export function newVendor(): Vendor {
  const key = signingKeyOf(generateSeed());
  return {
    publicKey: key.publicKey.toString('base64'),
    sign: (file, facts = {}) =>
      signBundle(file, {
        key: key as MinisignSigner,
        now: new Date().toISOString(),
        format: 'appctl',
        comment: null,
        expectedSha256: null,
        statement: facts === null ? null : statementOf(facts),
        outDir: null,
        force: true,
        dryRun: false,
      }),
  };
}

const statementOf = (facts: Facts): StatementInput =>
  StatementInput.parse({
    product: 'appctl',
    version: NEWER_VERSION,
    platform: 'linux',
    arch: process.arch,
    requiresMigration: true,
    ...facts,
  });
