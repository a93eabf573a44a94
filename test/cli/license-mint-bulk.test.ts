import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, program } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  await it.answer(['policy', 'create', '--name', 'office']);
});
afterAll(() => it.remove());

interface Result {
  index: number;
  success: boolean;
  line?: number;
  idempotent?: true;
  key?: string;
  error?: { code: string; message: string; details: { line: number } };
  [field: string]: unknown;
}
interface Batch {
  results: Result[];
  summary: { total: number; succeeded: number; failed: number };
  dryRun?: true;
}

const bulk = ['license', 'mint-bulk'];
/** Writes a new file. @returns its whole path */
const file = (name: string, text: string): string => {
  writeFileSync(join(it.cwd, name), text);
  return join(it.cwd, name);
};
/** Runs in the test's process, which costs no start; the first test checks the schema of the answer. */
async function mintBulk(args: readonly string[], code = 0): Promise<Batch> {
  const run = await it.inside([...bulk, ...args, '--json']);
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code });
  return JSON.parse(run.stdout) as Batch;
}
async function total(q = ''): Promise<number> {
  const { stdout } = await it.inside(['license', 'list', '--limit', '1', '--q', q, '--json']);
  return (JSON.parse(stdout) as { pagination: { total: number } }).pagination.total;
}

describe('rows', () => {
  test('CSV: columns by the names of the API or of the options', async () => {
    const name = file(
      'a.csv',
      [
        'Product;E-mail;customerName;type;tier;max-activations;days;policy;features;maxUses;orderId;metadata.team;metadata',
        'editor;ann@x.test;"Ann ""A"" B";SUBSCRIPTION;BUSINESS;5;30;office;"{""export"":true}";9;A-1;blue;"{""n"":1}"',
        'editor;bob@x.test;;;;;;;;;;;',
      ].join('\r\n'),
    );
    const { results, summary } = await it.answer<Batch>([...bulk, name]);
    expect(summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
    expect(results[0]).toMatchObject({
      index: 0,
      line: 2,
      type: 'SUBSCRIPTION',
      tier: 'BUSINESS',
      maxActivations: 5,
      features: { export: true },
      maxUses: 9,
      orderId: 'A-1',
      metadata: { n: 1, team: 'blue' },
      customer: { email: 'ann@x.test', name: 'Ann "A" B' },
    });
    expect(results[0]?.validUntil).not.toBeNull();
    expect(results[0]?.policyId).toMatch(/^pol_/);
    expect(results[1]).toMatchObject({ line: 3, type: 'PERPETUAL', validUntil: null, metadata: {} });
    expect(results[0]).not.toHaveProperty('key');
    const instance = await it.open();
    const rows = await instance.database.db.knex('licenses').distinct('source');
    await instance.close();
    expect(rows).toEqual([{ source: 'BULK' }]);
  });

  test('JSON Lines from stdin; a failed row is named by its line and costs itself only', async () => {
    const input = [
      '{"productId":"editor","customerEmail":"j@x.test","validUntil":null,"metadata":{"ü":[1]}}',
      '{"productId":"editor","customerEmail":"j@x.test","maxActivations":"5"}',
      '{"productId":"editor"',
      '{"__proto__":{"force":true},"productId":"editor","customerEmail":"j@x.test"}',
      '{"productId":"nope","customerEmail":"j@x.test"}',
      '{"productId":"editor","customerEmail":"j@x.test","days":3,"perpetual":true}',
      '{"productId":"editor","customerEmail":"j@x.test","days":3661}',
    ].join('\n');
    const { results, summary } = await it.json<Batch>([...bulk, '-'], { input, code: 7 });
    expect(summary).toEqual({ total: 7, succeeded: 1, failed: 6 });
    const failures = results.filter(({ success }) => !success);
    expect(failures.map(({ error }) => [error?.details.line, error?.code, error?.message])).toEqual([
      [2, 'VALIDATION_ERROR', 'maxActivations must be a whole number'],
      [3, 'USAGE', 'the line is not a JSON object'],
      [4, 'VALIDATION_ERROR', 'unknown: __proto__'],
      [5, 'NOT_FOUND', 'product nope was not found'],
      [6, 'USAGE', 'days and perpetual exclude each other'],
      [7, 'USAGE', 'days must be a whole number from 1 to 3660'],
    ]);
    const human = await it.inside([...bulk, file('human.csv', 'product,email\nnope,a@x.test\n')]);
    expect(human.code).toBe(7);
    expect(human.stdout).toMatch(
      /^ *2 +a@x\.test +failed: product nope was not found \(appctl product list\)$/m,
    );
    expect(human.stderr).toContain('0 of 1 succeeded');
  });

  test.each([
    ['an unknown column', 'product,email,colour\n', /unknown column: colour/],
    ['a missing column', 'product\neditor\n', /the column customerEmail is missing/],
    ['two columns of one field', 'product,productId,email\n', /two columns are called productId/],
    ['a quote that never closes', 'product,email\neditor,a@x.test\neditor,"b\n', /line 3: a quote is opened/],
    ['nothing', '', /the file is empty/],
  ])('a file with %s mints nothing (2)', async (_what, text, message) => {
    const before = await total();
    const run = await it.inside([...bulk, file('bad.csv', text)]);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(message);
    expect(await total()).toBe(before);
  });

  test('a file that is not there, or a folder, is a usage error', async () => {
    for (const name of ['nowhere.csv', it.cwd]) expect((await it.inside([...bulk, name])).code).toBe(2);
  });

  test('a dry run plans every row and mints none', async () => {
    const name = file('dry.csv', 'product,email\neditor,dry@x.test\nnope,dry@x.test\n');
    const before = await total();
    const plan = await mintBulk([name, '-n'], 7);
    expect(plan).toMatchObject({ dryRun: true, summary: { total: 2, succeeded: 1, failed: 1 } });
    expect(await total()).toBe(before);
  });
});

describe('keys', () => {
  test('--out writes one line per row (0600), empty where a row failed; --reveal prints them', async () => {
    const name = file('keys.csv', 'product,email\neditor,k1@x.test\nnope,k2@x.test\neditor,k3@x.test\n');
    const path = join(it.cwd, 'keys.txt');
    const { results } = await mintBulk([name, '--reveal', '--out', path], 7);
    const keys = results.map(({ key }) => key ?? '');
    expect(keys[1]).toBe('');
    expect(keys[0]).toMatch(/^APP(-\w{4}){4}$/);
    expect(readFileSync(path, 'utf8')).toBe(`${keys.join('\n')}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await it.inside([...bulk, name, '--resume', '--out', path])).code).toBe(5);
  });
});

describe('a run that was interrupted', () => {
  const rows = (count: number, tag: string): string =>
    `product,email\n${Array.from({ length: count }, (_, n) => `editor,${tag}${n}@x.test\n`).join('')}`;

  test('the same file again is refused, --resume brings back what is there, and no second license', async () => {
    const name = file('again.csv', rows(3, 'again'));
    const first = await mintBulk([name]);
    const refused = await it.inside([...bulk, name, '--json']);
    expect({ code: refused.code, error: errorOf(refused).hint }).toEqual({
      code: 5,
      error: expect.stringContaining('--resume'),
    });
    const before = await total();
    const second = await mintBulk([name, '--resume']);
    expect(second.results.map(({ id, idempotent }) => [id, idempotent])).toEqual(
      first.results.map(({ id }) => [id, true]),
    );
    expect(await total()).toBe(before);
    const named = await mintBulk([name, '--idempotency-key', 'once more']);
    expect(named.results.some(({ idempotent }) => idempotent)).toBe(false);
    expect(await total()).toBe(before + 3);
  });

  test('a named run from a pipe is known again without the file', async () => {
    const keyed = [...bulk, '-', '--idempotency-key', 'K'];
    const once = await it.answer<Batch>(keyed, { input: rows(2, 'stdin') });
    const twice = await it.answer<Batch>([...keyed, '--resume'], { input: rows(2, 'stdin') });
    expect(twice.results.map(({ id }) => id)).toEqual(once.results.map(({ id }) => id));
  });

  /** Starts a run in a process of its own and waits until some of its licenses are there. */
  async function interrupt(name: string, tag: string, signal: 'SIGKILL' | 'SIGINT') {
    const instance = await it.open();
    const env = { PATH: '/usr/bin:/bin', HOME: it.cwd, APPCTL_DATA_DIR: join(it.cwd, 'data') };
    const child = spawn(process.execPath, [program, ...bulk, name, '--json'], { cwd: it.cwd, env });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const minted = async (): Promise<number> => {
      const [row] = await instance.database.db
        .knex('license_customers')
        .where('email_norm', 'like', `${tag}%`)
        .count({ n: '*' });
      return Number(row?.n);
    };
    while ((await minted()) < 5 && child.exitCode === null) await new Promise((go) => setTimeout(go, 5));
    child.kill(signal);
    const code = await ended;
    const done = await minted();
    await instance.close();
    return { code, done, stderr };
  }

  test('kill -9 in the middle, then --resume: every row has exactly one license', async () => {
    const name = file('killed.csv', rows(800, 'killed'));
    const { done } = await interrupt(name, 'killed', 'SIGKILL');
    expect(done).toBeGreaterThanOrEqual(5);
    expect(done).toBeLessThan(800);
    const { results, summary } = await mintBulk([name, '--resume']);
    expect(summary).toEqual({ total: 800, succeeded: 800, failed: 0 });
    expect(new Set(results.map(({ id }) => id)).size).toBe(800);
    const repeated = results.filter(({ idempotent }) => idempotent).length;
    expect(repeated).toBeGreaterThanOrEqual(done);
    expect(await total('killed')).toBe(800);
  });

  test('Ctrl-C ends after the row under way and says how to go on', async () => {
    const name = file('stopped.csv', rows(800, 'stopped'));
    const { code, done, stderr } = await interrupt(name, 'stopped', 'SIGINT');
    expect(code).toBe(130);
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as {
      error: { code: string; hint: string; details: { succeeded: number } };
    };
    expect(error).toMatchObject({
      code: 'INTERRUPTED',
      hint: `appctl license mint-bulk ${name} --resume`,
    });
    expect(error.details.succeeded).toBe(done);
  });
});
