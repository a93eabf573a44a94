import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

interface Answer {
  id: string;
  [field: string]: unknown;
}

let it: Installation;
let licenseId: string;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const mint = ['license', 'mint', '--product', 'editor', '--email', 'a@x.test'];
  licenseId = (await it.answer<Answer>(mint)).id;
});
afterAll(() => it.remove());

/** Runs a command that must fail and gives its code, its message and what it printed. */
async function failure(...args: string[]) {
  const run = await it.inside([...args, '--json']);
  return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
}

describe('abuse', () => {
  test('flag, list, show, clear, confirm', async () => {
    const plan = await it.answer<Answer>(['abuse', 'flag', licenseId, '--reason', 'in a forum', '--dry-run']);
    expect(plan).toMatchObject({ rule: 'MANUAL', status: 'OPEN', dryRun: true });
    expect((await it.answer<{ items: Answer[] }>(['abuse', 'list'])).items).toEqual([]);
    const flag = await it.json<Answer>(['abuse', 'flag', licenseId, '--reason', 'in a forum']);
    expect(flag).toMatchObject({ licenseId, productSlug: 'editor', note: 'in a forum', resolvedBy: null });
    expect(await it.answer(['abuse', 'show', flag.id])).toEqual(flag);
    const open = await it.answer<{ items: Answer[] }>([
      'abuse',
      'list',
      '--status',
      'OPEN',
      '--rule',
      'MANUAL',
    ]);
    expect(open.items).toEqual([flag]);
    expect(await failure('abuse', 'flag', licenseId, '--reason', 'again')).toMatchObject({ exit: 5 });
    const cleared = await it.answer<Answer>(['abuse', 'clear', flag.id, '--reason', 'it was ours']);
    expect(cleared).toMatchObject({ status: 'CLEARED', note: 'it was ours' });
    expect(cleared.resolvedBy).toMatch(/^cli:/);
    expect(await failure('abuse', 'confirm', flag.id, '--reason', 'late')).toMatchObject({ exit: 5 });
    const second = await it.answer<Answer>(['abuse', 'flag', licenseId, '--reason', 'again']);
    const confirm = ['abuse', 'confirm', second.id, '--reason', 'shared', '--action', 'SUSPEND'];
    expect(await it.answer(confirm)).toMatchObject({ status: 'CONFIRMED' });
    expect(await it.answer(['license', 'show', licenseId])).toMatchObject({ status: 'SUSPENDED' });
    const all = await it.answer<{ items: Answer[] }>(['abuse', 'list', '--license', licenseId]);
    expect(all.items.map(({ status }) => status)).toEqual(['CONFIRMED', 'CLEARED']);
  });

  test('rules list and set', async () => {
    const { items } = await it.answer<{ items: Answer[] }>(['abuse', 'rules', 'list']);
    expect(items).toHaveLength(8);
    const set = ['abuse', 'rules', 'set', 'IP_SPREAD', '--param', 'networks=25', '--disable'];
    expect(await it.answer([...set, '-n'])).toMatchObject({ params: { networks: 25 }, dryRun: true });
    expect(await it.answer(set)).toMatchObject({
      rule: 'IP_SPREAD',
      enabled: false,
      params: { networks: 25 },
    });
    expect(await it.answer(['abuse', 'rules', 'set', 'IP_SPREAD', '--enable'])).toMatchObject({
      enabled: true,
      params: { networks: 25 },
    });
  });

  test.each([
    [['show', 'flg_nope'], 3, /flag flg_nope was not found/],
    [['flag', 'lic_nope', '--reason', 'x'], 3, /license lic_nope was not found/],
    [['flag', 'lic_nope'], 2, /^--reason is required/],
    [['flag', 'lic_nope', '--reason', ''], 2, /1 to 500/],
    [['list', '--rule', 'NOPE'], 2, /^--rule 'NOPE'/],
    [['rules', 'set', 'NOPE', '--enable'], 2, /NOPE/],
    [['rules', 'set', 'CHURN'], 2, /nothing to change/],
    [['rules', 'set', 'CHURN', '--param', 'pairs'], 2, /^--param pairs must be a whole number/],
    [['rules', 'set', 'CHURN', '--param', 'pairs=-1'], 2, /^--param pairs must be a whole number/],
    [['rules', 'set', 'CHURN', '--param', 'nope=1'], 2, /^--param has no nope; thresholds of CHURN: pairs/],
    [['rules', 'set', 'CHURN', '--param', 'pairs=1000001'], 2, /^--param pairs must be a whole number/],
    [['rules', 'set', 'MANUAL', '--disable'], 2, /neither thresholds nor a switch/],
    [['rules', 'set', 'CHURN', '--enable', '--disable'], 2, /--disable/],
  ])('abuse %j ends with %i', async (words, exit, message) => {
    const failed = await failure('abuse', ...words);
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
  });
});

describe('honeypot', () => {
  const create = ['honeypot', 'create', '--product', 'editor', '--label', 'wiki'];

  test('create shows the key once, list masks it, hits and delete', async () => {
    const plan = await it.answer<Answer>([...create, '--dry-run']);
    expect(plan).toMatchObject({ kind: 'CANARY', dryRun: true });
    expect(plan.key).toBeUndefined();
    const made = await it.answer<Answer>([...create, '--block-ip', '60']);
    expect(made.key).toMatch(/^APP(-[0-9A-Z]{4}){4}$/);
    expect(made).toMatchObject({ label: 'wiki', productSlug: 'editor', blockIpSeconds: 60, hits: 0 });
    const listed = await it.inside(['honeypot', 'list', '--json']);
    expect(JSON.parse(listed.stdout).items).toMatchObject([{ id: made.id, keyMasked: made.keyMasked }]);
    expect(listed.stdout).not.toContain(String(made.key));
    expect((await it.answer<{ items: Answer[] }>(['honeypot', 'hits', made.id])).items).toEqual([]);
    const found = await it.inside(['license', 'find', '--key-stdin', '--json'], { input: String(made.key) });
    expect(found.code).toBe(3);
    expect(await failure('honeypot', 'delete', made.id)).toMatchObject({ exit: 10 });
    expect(await it.answer(['honeypot', 'delete', made.id, '--yes'])).toMatchObject({ id: made.id });
    expect(await failure('honeypot', 'hits', made.id)).toMatchObject({ exit: 3 });
  });

  test('create writes the key to a file that only the owner reads', async () => {
    const run = await it.appctl([...create, '--out', 'canary.txt']);
    expect(run.code).toBe(0);
    const path = join(it.cwd, 'canary.txt');
    expect(readFileSync(path, 'utf8')).toMatch(/^APP(-[0-9A-Z]{4}){4}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(run.stdout + run.stderr).not.toContain(readFileSync(path, 'utf8').trim());
    expect((await it.inside([...create, '--out', 'canary.txt'])).code).toBe(5);
  });

  test('a product with a canary says why it cannot be deleted', async () => {
    await it.answer(['product', 'create', '--name', 'Bait', '--slug', 'bait']);
    await it.answer(['honeypot', 'create', '--product', 'bait', '--label', 'x']);
    const failed = await failure('product', 'delete', 'bait', '--confirm', 'bait');
    expect(failed).toMatchObject({ exit: 5, hint: 'appctl honeypot list' });
    expect(failed.message).toContain('has 1 honeypot');
  });

  test.each([
    [['create', '--product', 'nope', '--label', 'x'], 3, /product nope was not found/],
    [['create', '--product', 'editor'], 2, /^--label is required/],
    [['create', '--product', 'editor', '--label', ''], 2, /^--label/],
    [['create', '--product', 'editor', '--label', 'x', '--block-ip', '86401'], 2, /^--block-ip/],
    [
      ['create', '--product', 'editor', '--label', 'x', '--key-format', 'nope'],
      3,
      /key format nope was not found/,
    ],
    [['delete', 'lic_nope', '--yes'], 3, /canary key lic_nope was not found/],
    [['hits', 'lic_nope'], 3, /canary key lic_nope was not found/],
  ])('honeypot %j ends with %i', async (words, exit, message) => {
    const failed = await failure('honeypot', ...words);
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
  });
});
