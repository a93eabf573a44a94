import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordUsage } from '#licensing/licenses/usage/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

interface License {
  id: string;
  key: string;
}

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
});
afterAll(() => it.remove());

const mint = (...words: string[]) =>
  it.answer<License>(['license', 'mint', '--product', 'editor', '--email', 'a@x.test', '--reveal', ...words]);

async function record({ key }: License, feature: string, quantity: number): Promise<void> {
  const instance = await it.open();
  await recordUsage(instance.ctx, { licenseKey: key, feature, quantity });
  await instance.close();
}

async function timeline(id: string): Promise<unknown[]> {
  const instance = await it.open();
  const rows = await instance.database.db
    .knex('events')
    .where('subject', id)
    .whereIn('type', ['USAGE_RESET', 'USAGE_SET'])
    .orderBy('id');
  await instance.close();
  return rows.map(({ type, data }) => [type, JSON.parse(data).details]);
}

describe('license usage show and list', () => {
  test('by id, and by the key from stdin', async () => {
    const license = await mint('--max-uses', '10');
    await record(license, 'export', 3);
    await record(license, 'import', 1);
    const shown = await it.answer(['license', 'usage', 'show', license.id]);
    expect(shown).toEqual({
      current: 4,
      max: 10,
      remaining: 6,
      percentUsed: 40,
      byFeature: { export: 3, import: 1 },
    });
    const byKey = await it.json(['license', 'usage', 'show', '--key-stdin'], { input: license.key });
    expect(byKey).toEqual(shown);
    const page = await it.answer<{ items: { feature: string; counterAfter: number }[] }>([
      'license',
      'usage',
      'list',
      license.id,
      '--limit',
      '1',
    ]);
    expect(page).toMatchObject({
      items: [{ feature: 'import', quantity: 1, counterAfter: 4, epoch: 0, metadata: null }],
      pagination: { page: 1, limit: 1, total: 2, totalPages: 2 },
    });
  });

  test('speak to a person', async () => {
    const license = await mint('--max-uses', '10');
    await it.answer(['license', 'usage', 'set', license.id, '4', '--yes']);
    await record(license, 'export', 3);
    const { stdout } = await it.inside(['license', 'usage', 'show', license.id]);
    expect(stdout).toContain('7 of 10 (70%)');
    expect(stdout).toMatch(/left +3\n/);
    expect(stdout).toMatch(/set manually +4\n/);
    expect(stdout).toContain('export: 3');
    const unlimited = await mint();
    expect((await it.inside(['license', 'usage', 'show', unlimited.id])).stdout).toContain(
      '0, without limit',
    );
    const listed = await it.inside(['license', 'usage', 'list', license.id]);
    expect(listed.stdout).toMatch(/FEATURE +QUANTITY +COUNTER/);
  });

  test.each([
    [['show', 'lic_nope'], 3],
    [['list', 'lic_nope'], 3],
    [['reset', 'lic_nope', '--yes'], 3],
    [['set', 'lic_nope', '1', '--yes'], 3],
    [['show'], 2],
    [['set', 'lic_nope'], 2],
    [['list', 'lic_nope', '--limit', '501'], 2],
  ])('%j ends with %i', async (words, code) => {
    expect((await it.inside(['license', 'usage', ...words])).code).toBe(code);
  });

  test.each(['show', 'list', 'reset', 'set'])('%s takes no whole key as an argument', async (verb) => {
    const { key } = await mint();
    const more = verb === 'set' ? ['1'] : [];
    const refused = await it.inside(['license', 'usage', verb, key, ...more]);
    expect(refused.code).toBe(2);
    expect(refused.stderr + refused.stdout).not.toContain(key);
  });
});

describe('license usage reset and set', () => {
  test('ask first, show a plan with --dry-run, and change with --yes', async () => {
    const license = await mint('--max-uses', '10');
    await record(license, 'export', 9);
    const asked = await it.appctl(['license', 'usage', 'reset', license.id, '--json']);
    expect({ code: asked.code, stdout: asked.stdout }).toEqual({ code: 10, stdout: '' });
    expect(errorOf(asked).hint).toBe('run it again with --yes');
    const empty = { current: 0, max: 10, remaining: 10, percentUsed: 0, byFeature: {} };
    expect(await it.answer(['license', 'usage', 'reset', license.id, '-n'])).toEqual({
      ...empty,
      dryRun: true,
    });
    expect(await it.answer(['license', 'usage', 'show', license.id])).toMatchObject({ current: 9 });
    expect(await it.answer(['license', 'usage', 'reset', license.id, '--yes'])).toEqual(empty);
    const set = { current: 8, max: 10, remaining: 2, percentUsed: 80, byFeature: {} };
    expect(await it.answer(['license', 'usage', 'set', license.id, '8', '--yes'])).toEqual(set);
    expect(await timeline(license.id)).toEqual([
      [
        'USAGE_RESET',
        { previous: 9, current: 0, actor: { kind: 'cli', id: null, label: expect.any(String) } },
      ],
      ['USAGE_SET', { previous: 0, current: 8 }],
    ]);
  });

  test('set takes 0 to 2^53-1', async () => {
    const { id } = await mint();
    for (const current of ['0', '9007199254740991']) {
      expect(await it.answer(['license', 'usage', 'set', id, current, '--yes'])).toMatchObject({
        current: Number(current),
      });
    }
    for (const wrong of ['9007199254740992', '1.5', 'ten', '1e3', '']) {
      expect((await it.inside(['license', 'usage', 'set', id, wrong, '--yes'])).code).toBe(2);
    }
  });
});
