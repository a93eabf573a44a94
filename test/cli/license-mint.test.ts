import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, sourceProgram } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
});
afterAll(() => it.remove());

interface License {
  id: string;
  key?: string;
  keyMasked: string;
  validUntil: string | null;
  [field: string]: unknown;
}
interface Batch {
  results: (License & { index: number; success: boolean })[];
  summary: { total: number; succeeded: number; failed: number };
}

const mint = ['license', 'mint', '--product', 'editor', '--email', 'ann@x.test'];
const count = async (): Promise<number> =>
  (await it.answer<{ pagination: { total: number } }>(['license', 'list'])).pagination.total;

/** Names of the events of a subject. */
async function events(subject: string): Promise<string[]> {
  const instance = await it.open();
  const rows = await instance.database.db.knex('events').where({ subject }).orderBy('id').select('type');
  await instance.close();
  return rows.map(({ type }) => type as string);
}

describe('one license', () => {
  test('every option reaches the license', async () => {
    const policy = await it.answer<{ id: string }>(['policy', 'create', '--name', 'office']);
    writeFileSync(join(it.cwd, 'features.json'), '{"export": true}');
    const license = await it.json<License>([
      ...['license', 'create', '--product', 'editor', '--email', ' Bob@X.test ', '--name', 'Bob'],
      ...[
        '--type',
        'FLOATING',
        '--tier',
        'BUSINESS',
        '--max-activations',
        '5',
        '--valid-until',
        '2031-05-01',
      ],
      ...['--policy', 'office', '--features', '@features.json', '--max-uses', '10', '--max-version', '2.4'],
      ...['--order-id', 'A-1', '--meta', 'team=blue', '--meta', 'note=a=b'],
    ]);
    expect(license).toMatchObject({
      type: 'FLOATING',
      tier: 'BUSINESS',
      status: 'ACTIVE',
      maxActivations: 5,
      activationsUsed: 0,
      validUntil: new Date('2031-05-01T23:59:59.999').toISOString(),
      policyId: policy.id,
      features: { export: true },
      maxUses: 10,
      maxVersion: '2.4',
      orderId: 'A-1',
      metadata: { team: 'blue', note: 'a=b' },
      customer: { email: 'Bob@X.test', name: 'Bob' },
    });
    expect(license.product).toBe(license.productId);
    expect(license).not.toHaveProperty('key');
    expect(license.keyMasked).toMatch(/^APP-\w{4}-\*{4}-\*{4}-\*{4}$/);
  });

  test('the key is printed with --reveal only, and that is audited', async () => {
    const masked = await it.answer<License>(mint);
    expect(await events(masked.id)).toEqual(['LICENSE_CREATED']);
    const revealed = await it.answer<License>([...mint, '--reveal']);
    expect(revealed.key).toMatch(/^APP(-\w{4}){4}$/);
    expect(await events(revealed.id)).toEqual(['LICENSE_CREATED', 'LICENSE_KEY_REVEALED']);
    const human = await it.appctl(mint);
    expect(human.stdout).toMatch(/^key +APP-\w{4}-\*{4}-\*{4}-\*{4}$/m);
    expect(human.stderr).toMatch(/^Next: appctl license reveal lic_\w+ --reason TEXT$/m);
    const named = await it.answer<License>(['license', 'reveal', masked.id, '--reason', 'ticket 4711']);
    expect(named).toEqual({ id: masked.id, key: expect.stringMatching(/^APP(-\w{4}){4}$/) });
    expect(await events(masked.id)).toEqual(['LICENSE_CREATED', 'LICENSE_KEY_REVEALED']);
  });

  test('terms: days from now, a date, none at all', async () => {
    const dated = await it.answer<License>([...mint, '--days', '365']);
    const days = (Date.parse(dated.validUntil ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(365);
    await it.answer([
      'product',
      'create',
      '--name',
      'T',
      '--slug',
      'trial',
      '--default-type',
      'TRIAL',
      '--default-days',
      '14',
    ]);
    const trial = ['license', 'mint', '--product', 'trial', '--email', 'a@x.test'];
    expect((await it.answer<License>(trial)).validUntil).not.toBeNull();
    expect((await it.answer<License>([...trial, '--perpetual'])).validUntil).toBeNull();
    const endless = await it.inside([...trial, '--type', 'SUBSCRIPTION', '--product', 'editor']);
    expect(endless.stderr).toContain('--valid-until or --days is required: a SUBSCRIPTION needs an end');
    const past = await it.inside([...trial, '--valid-until', '2020-01-01']);
    expect([past.code, past.stderr]).toEqual([
      0,
      expect.stringContaining('warning: --valid-until 2020-01-01 has passed'),
    ]);
  });

  test('the same idempotency key gives the same license again', async () => {
    const first = await it.answer<License>([...mint, '--idempotency-key', 'order-1', '--days', '30']);
    expect(first).not.toHaveProperty('idempotent');
    const again = await it.inside([...mint, '--idempotency-key', 'order-1', '--days', '30', '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ ...first, idempotent: true });
    expect(again.stderr).toBe('');
    const other = await it.inside([...mint, '--idempotency-key', 'order-1', '--tier', 'BUSINESS', '--plain']);
    expect(other.code).toBe(0);
    expect(other.stderr).toMatch(/warning: --idempotency-key was used before with other values/);
  });

  test('a dry run is the plan and changes nothing', async () => {
    const before = await count();
    const plan = await it.answer<License>([...mint, '--reveal', '-n', '--idempotency-key', 'never']);
    expect(plan).toMatchObject({ dryRun: true, status: 'ACTIVE' });
    expect(plan).not.toHaveProperty('key');
    expect(await count()).toBe(before);
    expect(await it.answer([...mint, '--idempotency-key', 'never'])).not.toHaveProperty('idempotent');
  });

  test.each([
    [['--email', 'nope'], 2, /^--email must be an email address/],
    [['--days', '1', '--perpetual'], 2, /^--days and --perpetual cannot be used together/],
    [['--days', '1', '--valid-until', '2031-01-01'], 2, /cannot be used together/],
    [['--days', '0'], 2, /^--days '0' is invalid/],
    [['--valid-until', '2026-02-30'], 2, /^--valid-until '2026-02-30'/],
    [['--features', '[1]'], 2, /^--features is not a JSON object/],
    [['--features', '@missing.json'], 2, /^--features: the file missing\.json/],
    [['--meta', 'x'], 2, /^--meta 'x' has no value/],
    [['--max-version', 'two'], 2, /^--max-version /],
    [['--max-activations', '1001'], 2, /^--max-activations '1001'/],
    [['--type', 'GIFT'], 2, /^--type 'GIFT'/],
    [['--name', 'x'.repeat(256)], 2, /^--name /],
    [['--count', '0'], 2, /^--count '0'/],
    [['--product', 'nope'], 3, /product nope was not found/],
    [['--policy', 'nope'], 3, /policy nope was not found/],
  ])('%j ends with %i and names the flag', async (words, exit, message) => {
    const base = words[0] === '--product' || words[0] === '--email' ? ['license', 'mint'] : mint;
    const rest =
      words[0] === '--product'
        ? ['--email', 'a@x.test']
        : words[0] === '--email'
          ? ['--product', 'editor']
          : [];
    const run = await it.inside([...base, ...rest, ...words, '--json']);
    expect({ exit: run.code, stdout: run.stdout }).toEqual({ exit, stdout: '' });
    expect(errorOf(run).message).toMatch(message);
  });
});

describe('many licenses', () => {
  test('--count gives a batch, each with a key of its own', async () => {
    const batch = await it.answer<Batch>([...mint, '--count', '3', '--reveal']);
    expect(batch.summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
    expect(batch.results.map(({ index, success }) => [index, success])).toEqual([
      [0, true],
      [1, true],
      [2, true],
    ]);
    expect(new Set(batch.results.map(({ key }) => key)).size).toBe(3);
  });

  test('--out writes the keys to a private file that is never overwritten', async () => {
    const file = join(it.cwd, 'keys.txt');
    const batch = await it.answer<Batch>([
      ...mint,
      '--count',
      '2',
      '--out',
      file,
      '--idempotency-key',
      'pack',
    ]);
    expect(batch.results[0]).not.toHaveProperty('key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const keys = readFileSync(file, 'utf8');
    expect(keys).toMatch(/^(APP(-\w{4}){4}\n){2}$/);
    const before = await count();
    expect((await it.inside([...mint, '--out', file])).code).toBe(5);
    expect(await count()).toBe(before);
    const repeat = ['--count', '3', '--out', file, '--force', '--idempotency-key', 'pack', '--json'];
    const again = JSON.parse((await it.inside([...mint, ...repeat])).stdout) as Batch;
    expect(again.results.map(({ idempotent }) => idempotent)).toEqual([true, true, undefined]);
    expect(readFileSync(file, 'utf8').startsWith(keys)).toBe(true);
  });

  test('a dry run of a batch writes neither licenses nor a file', async () => {
    const before = await count();
    const file = join(it.cwd, 'never.txt');
    expect(await it.answer([...mint, '--count', '2', '--out', file, '-n'])).toMatchObject({ dryRun: true });
    expect(existsSync(file)).toBe(false);
    expect(await count()).toBe(before);
  });
});

test('loads at most 310 files of the program: nobody waits for endpoints, pages and jobs', async () => {
  const counted = join(it.cwd, 'modules');
  const preload = join(import.meta.dirname, '../support/count-modules.ts');
  const env = { NODE_OPTIONS: `--import ${preload}`, APPCTL_MODULES: counted };
  const { code } = await it.appctl(mint, { env, script: sourceProgram });
  const files = Number(readFileSync(counted, 'utf8'));
  expect([code, files > 100, files <= 310]).toEqual([0, true, true]);
});
