import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let from: Installation;
let into: Installation;
const databases: FreshDatabase[] = [];
beforeAll(async () => {
  for (let n = 0; n < 2; n++) databases.push(await migratedDatabaseUrl());
  from = await prepareInstallation(databases[0]?.url);
  into = await prepareInstallation(databases[1]?.url);
  await from.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const mint = ['license', 'mint', '--product', 'editor', '--email', 'ann@x.test'];
  license = await from.answer([...mint, '--name', '=Ann', '--reveal', '--meta', 'team=blue']);
  write('pass', 'geheim\n');
  write('other-pass', 'falsch\n');
});
afterAll(async () => {
  from.remove();
  into.remove();
  for (const database of databases) await database.drop();
});

let license: { id: string; key: string };
interface Report {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  summary: { total: number; succeeded: number; failed: number };
  errors: { row: number; code: string; message: string }[];
}

/** Runs in the test's process, which costs no start; the first tests check the schemas of the answers. */
async function answerOf<T = Report>(own: Installation, args: readonly string[], code = 0): Promise<T> {
  const run = await own.inside([...args, '--json']);
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code });
  return JSON.parse(run.stdout) as T;
}
/** Puts a file where the commands of both installations find it by its whole path. */
const write = (name: string, bytes: string | Uint8Array): string => {
  writeFileSync(at(name), bytes);
  return at(name);
};
const at = (name: string): string => join(from.cwd, name);
const sample = (name: string): string => join(import.meta.dirname, '../licensing/import', name);
const native = (file: string, ...more: string[]) => [
  'import',
  'licenses',
  '--source',
  'native',
  '--file',
  file,
  ...more,
];
const all = ['export', 'all', '--include-keys'];

describe('export all and import', () => {
  test('keys leave only after a yes, into a file of mode 0600', async () => {
    const asked = await from.inside([...all, '--out', at('plain.jsonl'), '--json']);
    expect({ code: asked.code, flag: errorOf(asked).details }).toEqual({ code: 10, flag: { flag: '--yes' } });
    const done = await from.json([...all, '--out', 'plain.jsonl', '--yes']);
    expect(done).toMatchObject({
      file: at('plain.jsonl'),
      format: 'native',
      rows: { tenant: 1, product: 1, customer: 1, license: 1 },
      keys: 'included',
      encrypted: false,
    });
    expect(statSync(at('plain.jsonl')).mode & 0o777).toBe(0o600);
    expect(readFileSync(at('plain.jsonl'), 'utf8')).toContain(license.key);
    expect((await from.inside([...all, '--out', at('plain.jsonl'), '--yes'])).code).toBe(5);
    const stdout = await from.inside(['export', 'all', '--json']);
    expect(stdout.stdout).not.toContain(license.key);
    expect(
      stdout.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).kind),
    ).toEqual(['export', 'tenant', 'product', 'customer', 'license', 'end']);
  });

  test('an encrypted file: the wrong passphrase is 4, damage is 6, and neither changes anything', async () => {
    const sealing = ['--passphrase-file', at('pass'), '--out', at('sealed'), '--yes'];
    expect(await answerOf(from, [...all, ...sealing])).toMatchObject({ encrypted: true });
    const bytes = readFileSync(at('sealed'));
    expect(bytes.includes(license.key)).toBe(false);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 40] = (flipped[bytes.length - 40] as number) ^ 1;
    const attempts: [string, string, number][] = [
      [at('sealed'), 'other-pass', 4],
      [write('flipped', flipped), 'pass', 6],
      [write('cut', bytes.subarray(0, -20)), 'pass', 6],
    ];
    for (const [file, pass, code] of attempts) {
      const run = await into.inside(native(file, '--passphrase-file', at(pass), '--json'));
      expect({ file, code: run.code, stdout: run.stdout }).toEqual({ file, code, stdout: '' });
    }
    const tried = await into.inside(native(at('sealed'), '--passphrase-file', at('other-pass')));
    expect(tried.stderr).toContain(`tried: passphrase from --passphrase-file ${at('other-pass')}`);
    const silent = await into.inside(native(at('sealed')));
    expect({ code: silent.code, stderr: silent.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--passphrase-file is required'),
    });
    expect((await answerOf<{ items: unknown[] }>(into, ['customer', 'list'])).items).toEqual([]);
  });

  test('a plain file that is cut off is 6; without keys it is refused with the cure', async () => {
    const text = readFileSync(at('plain.jsonl'), 'utf8');
    const cut = await into.inside(native(write('cut.jsonl', text.slice(0, -30)), '--json'));
    expect({ code: cut.code, error: errorOf(cut).code }).toEqual({ code: 6, error: 'VERIFICATION_FAILED' });
    await answerOf(from, ['export', 'all', '--out', at('no-keys.jsonl')]);
    const refused = await into.inside(native(at('no-keys.jsonl'), '--json'));
    expect({ code: refused.code, hint: errorOf(refused).hint }).toEqual({
      code: 2,
      hint: 'export it again with --include-keys, or import the rest with --skip-licenses',
    });
  });

  test('the plan, the import, and the import again', async () => {
    const words = native(at('sealed'), '--passphrase-file', at('pass'));
    const counts = { rows: 4, created: 3, updated: 0, skipped: 1, failed: 0 };
    expect(await answerOf(into, [...words, '-n'])).toMatchObject({ ...counts, dryRun: true });
    const report = await into.json<Report>(words);
    expect(report).toMatchObject({ ...counts, summary: { total: 4, succeeded: 4, failed: 0 } });
    expect(await answerOf(into, words)).toMatchObject({ created: 0, skipped: 4 });
    const shown = await answerOf(into, ['license', 'show', license.id, '--reveal']);
    expect(shown).toMatchObject({ key: license.key, metadata: { team: 'blue' }, customer: { name: '=Ann' } });
    const doctor = await into.inside(['doctor', 'license.invariants', '--json']);
    expect(doctor.stdout).toMatch(/"id":"license.invariants"[^}]*"status":"ok"/);
  });

  test('options that do not fit are usage errors', async () => {
    for (const words of [
      native(at('plain.jsonl'), '--product', 'editor'),
      native('-'),
      native('nowhere'),
      ['import', 'licenses', '--file', sample('keygen.json')],
      ['import', 'licenses', '--file', sample('keygen.json'), '--source', 'keygen'],
      ['import', 'licenses', '--file', sample('generic.csv'), '--source', 'csv', '--map', 'a=nothing'],
      ['import', 'licenses', '--file', sample('generic.csv'), '--source', 'csv', '--skip-licenses'],
      ['export', 'licenses', '--format', 'csv', '--json'],
      ['export', 'all', '--out', '-', '--json'],
    ]) {
      const run = await from.inside(words);
      expect({ words, code: run.code, stdout: run.stdout }).toEqual({ words, code: 2, stdout: '' });
    }
  });
});

describe('one kind per file', () => {
  test('CSV has the names of the native format, and people; cells that a spreadsheet would run are escaped', async () => {
    const run = await from.inside(['export', 'licenses', '--format', 'csv', '--include-keys', '--yes']);
    const [header = '', row = ''] = run.stdout.split('\r\n');
    expect(header.split(',')).toEqual(
      expect.arrayContaining([
        'id',
        'tenantId',
        'productId',
        'maxActivations',
        'customerEmail',
        'productSlug',
        'key',
      ]),
    );
    expect(row).toContain(license.key);
    expect(row).toContain("'=Ann");
    const masked = await from.inside(['export', 'licenses', '--csv']);
    expect(masked.stdout).not.toContain(license.key);
    for (const kind of ['customers', 'products', 'policies']) {
      const { stdout, code } = await from.inside(['export', kind, '--format', 'csv']);
      expect({ kind, code, header: stdout.split(',', 2) }).toEqual({
        kind,
        code: 0,
        header: ['id', 'tenantId'],
      });
    }
    const late = await from.inside(['export', 'customers', '--since', '2999-01-01', '--json']);
    expect(late.stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test('an exported CSV can be imported by another installation', async () => {
    const other = await prepareInstallation();
    await answerOf(other, ['product', 'create', '--name', 'Editor', '--slug', 'editor']);
    await answerOf(from, [
      'export',
      'licenses',
      '--format',
      'csv',
      '--include-keys',
      '--yes',
      '--out',
      at('l.csv'),
    ]);
    const words = [
      'import',
      'licenses',
      '--source',
      'csv',
      '--file',
      at('l.csv'),
      '--map',
      'productSlug=product',
    ];
    expect(await answerOf(other, words)).toMatchObject({ created: 1, failed: 0 });
    const [found] = (await answerOf<{ items: { customer: object }[] }>(other, ['license', 'list'])).items;
    expect(found?.customer).toMatchObject({ email: 'ann@x.test', name: '=Ann' });
    other.remove();
  });
});

describe('imports from elsewhere', () => {
  test('licenses: failed rows end with 7 and are named; the rest is in', async () => {
    const words = [
      'import',
      'licenses',
      '--source',
      'csv',
      '--file',
      sample('bad-rows.csv'),
      '--product',
      'editor',
    ];
    const plan = await answerOf(from, [...words, '-n'], 7);
    const report = await answerOf(from, words, 7);
    expect(report).toMatchObject({ rows: 22, created: 4, failed: 18 });
    expect(plan).toEqual({ ...report, dryRun: true });
    const human = await from.inside(words);
    expect(human.stdout).toBe('22 rows: 0 created, 0 updated, 4 skipped or already there, 18 failed\n');
    expect(human.stderr).toContain('warning: row 2: KEY_FORMAT: the key must have 10 to 100');
  });

  test('customers: new, completed, there, wrong', async () => {
    const text = [
      'E-Mail,Name,metadata.team,metadata',
      'new@x.test,New,red,"{""n"":1}"',
      'ann@x.test,Other name,green,',
      'ANN@x.test,,,',
      'nobody,,,',
    ].join('\n');
    const words = ['import', 'customers', '--file', write('c.csv', text)];
    const report = await answerOf(from, words, 7);
    expect(report).toMatchObject({ rows: 4, created: 1, updated: 1, failed: 2 });
    expect(report.errors.map(({ row, code }) => [row, code])).toEqual([
      [4, 'CONFLICT'],
      [5, 'EMAIL_INVALID'],
    ]);
    expect(await answerOf(from, ['customer', 'show', 'new@x.test'])).toMatchObject({
      name: 'New',
      metadata: { n: 1, team: 'red' },
    });
    expect(await answerOf(from, ['customer', 'show', 'ann@x.test'])).toMatchObject({
      name: '=Ann',
      metadata: { team: 'green' },
    });
    expect(await answerOf(from, words, 7)).toMatchObject({ created: 0, updated: 0, skipped: 2 });
  });

  test('a file that is no UTF-8 or no JSON is told in words (2)', async () => {
    const words = ['import', 'licenses', '--product', 'editor', '--source'];
    const latin = write('latin.csv', Buffer.from('key,email\nk\xe4y,a@x.test\n', 'latin1'));
    const run = await from.inside([...words, 'csv', '--file', latin]);
    expect({ code: run.code, stderr: run.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the file is not UTF-8'),
    });
    const broken = write('broken.json', '{"data":[');
    expect((await from.inside([...words, 'keygen', '--file', broken])).code).toBe(2);
    expect((await from.inside([...words, 'keygen', '--file', write('odd.json', '{"a":1}')])).code).toBe(2);
  });
});
