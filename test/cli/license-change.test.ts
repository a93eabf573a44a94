import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activate } from '#licensing/licenses/machines/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

interface License {
  id: string;
  key: string;
  status: string;
  validUntil: string | null;
  activationsUsed: number;
}
interface Batch {
  results: {
    index: number;
    success: boolean;
    machineId?: string;
    status?: string;
    error?: { code: string };
  }[];
  summary: { total: number; succeeded: number; failed: number };
}

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
});
afterAll(() => it.remove());

const mint = (...words: string[]) =>
  it.answer<License>(['license', 'mint', '--product', 'editor', '--email', 'a@x.test', '--reveal', ...words]);
const status = async (id: string) => (await it.answer<License>(['license', 'show', id])).status;

async function activateOn(license: License, ...machineIds: string[]): Promise<void> {
  const instance = await it.open();
  for (const machineId of machineIds) await activate(instance.ctx, { licenseKey: license.key, machineId });
  await instance.close();
}

describe('suspend, resume, revoke', () => {
  test('one id gives the license', async () => {
    const { id } = await mint();
    expect(await it.answer(['license', 'suspend', id, '--reason', 'late'])).toMatchObject({
      id,
      status: 'SUSPENDED',
    });
    const again = await it.inside(['license', 'suspend', id, '--reason', 'late']);
    expect([again.code, again.stderr]).toEqual([0, `${id} was already suspended\n`]);
    expect(await it.answer(['license', 'resume', id])).toMatchObject({ id, status: 'ACTIVE' });
    expect((await it.inside(['license', 'resume', id])).stderr).toBe(`${id} was not suspended\n`);
    expect(await it.answer(['license', 'suspend', id, '--reason', 'x', '-n'])).toMatchObject({
      dryRun: true,
    });
    expect(await status(id)).toBe('ACTIVE');
  });

  test('revoke asks first, ends activations and is final', async () => {
    const license = await mint();
    await activateOn(license, 'machine-0001');
    const asked = await it.appctl(['license', 'revoke', license.id, '--reason', 'refund', '--json']);
    expect({ code: asked.code, stdout: asked.stdout }).toEqual({ code: 10, stdout: '' });
    expect(errorOf(asked).hint).toBe('run it again with --yes');
    const revoked = await it.answer<License>([
      'license',
      'revoke',
      license.id,
      '--reason',
      'refund',
      '--yes',
    ]);
    expect(revoked).toMatchObject({ status: 'REVOKED', activationsUsed: 0 });
    for (const words of [['suspend', '--reason', 'x'], ['resume'], ['renew', '--days', '1']]) {
      const [verb = '', ...rest] = words;
      expect((await it.inside(['license', verb, license.id, ...rest])).code).toBe(5);
    }
  });

  test('several ids give a batch: 7 when some fail, and the others are done', async () => {
    const [first, second] = [await mint(), await mint()];
    const ids = [first.id, 'lic_nope', second.id];
    const batch = await it.answer<Batch>(['license', 'suspend', ...ids, '--reason', 'late'], { code: 7 });
    expect(batch.summary).toEqual({ total: 3, succeeded: 2, failed: 1 });
    expect(batch.results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(batch.results[1]?.error?.code).toBe('NOT_FOUND');
    expect(await status(second.id)).toBe('SUSPENDED');
    const all = await it.answer<Batch>(['license', 'revoke', first.id, second.id, '--reason', 'x', '--yes']);
    expect(all.results.map((result) => result.status)).toEqual(['REVOKED', 'REVOKED']);
  });

  test.each([
    [['suspend', 'lic_nope', '--reason', 'x'], 3],
    [['resume', 'lic_nope'], 3],
    [['revoke', 'lic_nope', '--reason', 'x'], 3],
    [['renew', 'lic_nope', '--days', '1'], 3],
    [['suspend', 'lic_nope'], 2],
    [['revoke', 'lic_nope', '--yes'], 2],
    [['suspend', 'lic_nope', '--reason', 'x'.repeat(501)], 2],
    [['suspend', '--reason', 'x'], 2],
  ])('license %j ends with %i', async (words, code) => {
    const run = await it.inside(['license', ...words]);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
  });
});

describe('renew', () => {
  const day = 86_400_000;

  test('--days counts from the end of the license, --from-now from now', async () => {
    const { id, validUntil } = await mint('--days', '10');
    const later = await it.answer<License>(['license', 'renew', id, '--days', '5']);
    expect(Date.parse(later.validUntil ?? '') - Date.parse(validUntil ?? '')).toBe(5 * day);
    const sooner = await it.answer<License>(['license', 'renew', id, '--days', '5', '--from-now', '--yes']);
    expect(Math.round((Date.parse(sooner.validUntil ?? '') - Date.now()) / day)).toBe(5);
    const dated = await it.answer<License>(['license', 'renew', id, '--until', '2031-01-31']);
    expect(dated.validUntil).toBe(new Date('2031-01-31T23:59:59.999').toISOString());
  });

  test('an expired license counts from now and is ACTIVE again', async () => {
    const { id } = await mint('--valid-until', '2020-01-01');
    expect(await status(id)).toBe('EXPIRED');
    const renewed = await it.answer<License>(['license', 'renew', id, '--days', '30']);
    expect(renewed.status).toBe('ACTIVE');
    expect(Math.round((Date.parse(renewed.validUntil ?? '') - Date.now()) / day)).toBe(30);
  });

  test('two at once add up', async () => {
    const { id, validUntil } = await mint('--days', '10');
    await Promise.all([1, 2].map(() => it.json(['license', 'renew', id, '--days', '5'])));
    const { validUntil: after } = await it.answer<License>(['license', 'show', id]);
    expect(Date.parse(after ?? '') - Date.parse(validUntil ?? '')).toBe(10 * day);
  });

  test.each([
    [[], /--until or --days is required/],
    [['--until', '2020-01-01'], /^error: --until must be in the future/m],
    [['--until', '2031-01-01', '--days', '1'], /cannot be used together/],
    [['--until', '2031-01-01', '--from-now'], /cannot be used together/],
    [['--days', '3661'], /--days '3661'/],
  ])('%j is a usage error', async (words, message) => {
    const { id } = await mint();
    const run = await it.inside(['license', 'renew', id, ...words]);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(message);
  });
});

describe('machines', () => {
  test('list, and remove one, all, or stale ones', async () => {
    const license = await mint('--max-activations', '3');
    await activateOn(license, 'machine-0001', 'machine-0002', 'machine-0003');
    const page = await it.answer<{ items: { machineId: string }[]; pagination: object }>([
      ...['license', 'machines', 'list', license.id, '--limit', '2', '--page', '2'],
    ]);
    expect(page.items).toEqual([
      expect.objectContaining({ machineId: expect.stringMatching(/^machine-000[123]$/) }),
    ]);
    expect(page.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    const remove = ['license', 'machines', 'remove', license.id];
    expect((await it.inside([...remove, 'machine-0001'])).code).toBe(10);
    expect((await it.inside([...remove, 'machine-0009', '--yes'])).code).toBe(3);
    expect((await it.inside([...remove, '--yes'])).code).toBe(2);
    expect((await it.inside([...remove, 'machine-0001', '--all', '--yes'])).code).toBe(2);
    const plan = await it.answer<Batch>([...remove, '--all', '-n']);
    expect(plan).toMatchObject({ dryRun: true, summary: { total: 3 } });
    const one = await it.answer<Batch>([...remove, 'machine-0001', '--yes']);
    expect(one.results.map(({ machineId }) => machineId)).toEqual(['machine-0001']);
    expect((await it.answer<Batch>([...remove, '--stale', '30d', '--yes'])).summary.total).toBe(0);
    expect((await it.answer<Batch>([...remove, '--stale', '0s', '--yes'])).summary.succeeded).toBe(2);
    expect((await it.answer<License>(['license', 'show', license.id])).activationsUsed).toBe(0);
    expect((await it.inside(['license', 'machines', 'list', 'lic_nope'])).code).toBe(3);
  });
});

describe('validate', () => {
  interface Answer {
    valid: boolean;
    code: string;
    license: { key: string } | null;
    explain: { rule: string; result: string; text: string }[];
  }

  test('says what a client would get, and why; the key stays masked', async () => {
    const license = await mint();
    await activateOn(license, 'machine-0001');
    const yes = await it.answer<Answer>([
      'license',
      'validate',
      '--license',
      license.id,
      '--machine',
      'machine-0001',
    ]);
    expect(yes).toMatchObject({ success: true, valid: true, code: 'VALID' });
    expect(yes.license?.key).toMatch(/^APP-\w{4}-\*/);
    expect(yes.explain.every(({ result }) => result !== 'fail')).toBe(true);
    const stdin = ['license', 'validate', '--key-stdin', '--machine', 'machine-0009'];
    const no = await it.answer<Answer>(stdin, { input: license.key, code: 5 });
    expect(no).toMatchObject({ success: true, valid: false, code: 'NOT_ACTIVATED' });
    expect(no.explain.filter(({ result }) => result === 'fail')).toHaveLength(1);
    const human = await it.appctl(stdin, { input: license.key });
    expect({ code: human.code, stderr: human.stderr }).toEqual({ code: 5, stderr: '' });
    expect(human.stdout).toMatch(/^not valid \(NOT_ACTIVATED\)/);
    const unknown = await it.answer<Answer>(stdin, { input: 'APP-0000-0000-0000-0000', code: 5 });
    expect(unknown).toMatchObject({ valid: false, code: 'NOT_FOUND', license: null });
  });

  test.each([
    [['--license', 'lic_nope', '--machine', 'machine-0001'], 3],
    [['--machine', 'machine-0001'], 2],
    [['--license', 'lic_nope'], 2],
    [['--license', 'lic_nope', '--key-stdin', '--machine', 'machine-0001'], 2],
  ])('%j ends with %i', async (words, code) => {
    expect((await it.inside(['license', 'validate', ...words])).code).toBe(code);
  });

  test('a short machine id is refused by its flag', async () => {
    const { id } = await mint();
    const run = await it.inside(['license', 'validate', '--license', id, '--machine', 'short']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('error: --machine must have at least 8 characters');
  });
});
