// How long a license lasts: nobody gets one for ever by an oversight, and no term is cut without a question.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
let database: FreshDatabase;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

interface License {
  id: string;
  validUntil: string | null;
  before?: { validUntil?: string | null };
}
const mint = (...words: string[]): Promise<License> =>
  it.answer<License>(['license', 'mint', '--product', 'editor', '--email', 'a@x.test', ...words]);
const show = (id: string): Promise<License> => it.answer<License>(['license', 'show', id]);
const daysFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describe('renew', () => {
  test('does not put an end to a license that had none without being told so', async () => {
    const { id } = await mint();
    const refused = await it.inside(['license', 'renew', id, '--days', '30']);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 10, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(
        `^error: confirmation needed: this will end license ${id} earlier.\\nvalid with no end date now, then until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d (UTC|[+-]\\d\\d:\\d\\d) \\(in 30 days\\)\\nTo undo: appctl license update ${id} --clear valid-until\\nhint: run it again with --yes\\n$`,
      ),
    );
    expect((await show(id)).validUntil).toBeNull();
    const until = ['license', 'renew', id, '--until', daysFromNow(30)];
    expect((await it.inside(until)).code).toBe(10);
    expect((await it.inside([...until, '-n'])).code).toBe(0);
    const renewed = await it.answer<License>(['license', 'renew', id, '--days', '30', '--yes']);
    expect(renewed.before).toEqual({ validUntil: null });
    expect(renewed.validUntil).not.toBeNull();
    expect((await it.inside(['license', 'update', id, '--clear', 'valid-until'])).code).toBe(0);
    expect((await show(id)).validUntil).toBeNull();
  });

  test('asks about an earlier end, not about a later one, and says before and after', async () => {
    const { id, validUntil } = await mint('--days', '100');
    for (const words of [
      ['--until', daysFromNow(50)],
      ['--days', '50', '--from-now'],
    ]) {
      expect((await it.inside(['license', 'renew', id, ...words])).code).toBe(10);
    }
    expect((await show(id)).validUntil).toBe(validUntil);
    const later = await it.inside(['license', 'renew', id, '--days', '10']);
    expect(later.code).toBe(0);
    expect(later.stderr).toMatch(
      /^renewed lic_\w+: it was valid until .+ \(in 3 months\) and is valid until .+ \(in 4 months\)$/m,
    );
    const back = await it.answer<License>(['license', 'renew', id, '--until', validUntil ?? '', '--yes']);
    expect(back.validUntil).toBe(validUntil);
  });

  test('of several names those that would end earlier', async () => {
    const [endless, dated] = [await mint(), await mint('--days', '10')];
    const words = ['license', 'renew', endless.id, dated.id, 'lic_unknown', '--days', '5', '--json'];
    const refused = await it.inside(words);
    expect(refused.code).toBe(10);
    expect(errorOf(refused).message).toMatch(
      `confirmation needed: this will end 1 of 3 licenses earlier.\n${endless.id}: valid with no end date now`,
    );
    const done = await it.inside([...words, '--yes']);
    expect(done.code).toBe(7);
    const { results } = JSON.parse(done.stdout) as { results: License[] };
    expect(results.map(({ before }) => before)).toEqual([
      { validUntil: null },
      { validUntil: dated.validUntil },
      undefined,
    ]);
  });

  test('a date is the end of that day in the zone that is printed', async () => {
    const { id } = await mint('--days', '10');
    const berlin = { env: { TZ: 'Europe/Berlin' } };
    const run = await it.appctl(['license', 'renew', id, '--until', '2096-01-31'], berlin);
    expect(run.stderr).toContain(
      '--until 2096-01-31 is read as 2096-01-31 23:59:59 +01:00 (Europe/Berlin)\n',
    );
    expect(run.stdout).toMatch(/^valid until +2096-01-31 23:59 \+01:00 \(in \d+ years\)$/m);
    expect((await show(id)).validUntil).toBe('2096-01-31T22:59:59.999Z');
  });
});

test('update and change-policy do not cut a term without a question either', async () => {
  await it.answer(['policy', 'create', '--name', 'short', '--default-days', '7']);
  const { id } = await mint();
  const update = ['license', 'update', id, '--valid-until', daysFromNow(50)];
  const reset = ['license', 'change-policy', id, 'short', '--expiry', 'reset'];
  for (const words of [update, reset]) {
    expect((await it.inside(words)).code).toBe(10);
    expect((await show(id)).validUntil).toBeNull();
    expect((await it.inside([...words, '--yes'])).code).toBe(0);
    expect((await show(id)).validUntil).not.toBeNull();
    expect((await it.inside(['license', 'update', id, '--clear', 'valid-until'])).code).toBe(0);
  }
  expect((await it.inside(['license', 'update', id, '--notes', 'no end is touched'])).code).toBe(0);
});

describe('a TRIAL or SUBSCRIPTION', () => {
  test.each(['TRIAL', 'SUBSCRIPTION'])('%s without a term is refused unless --perpetual', async (type) => {
    const words = ['license', 'mint', '--product', 'editor', '--email', 'a@x.test', '--type', type];
    const refused = await it.inside([...words, '--json']);
    expect({ code: refused.code, error: errorOf(refused) }).toMatchObject({
      code: 2,
      error: {
        message: `--valid-until or --days is required: a ${type} needs an end date, and neither product editor nor its policy sets a term`,
        hint: 'give --days N or --valid-until DATE, or --perpetual for a license that never expires',
      },
    });
    expect((await it.inside([...words, '--count', '2', '--json'])).code).toBe(7);
    expect((await mint('--type', type, '--perpetual')).validUntil).toBeNull();
    expect((await mint('--type', type, '--days', '3')).validUntil).not.toBeNull();
    expect((await mint('--type', type, '--policy', 'short')).validUntil).not.toBeNull();
  });

  test('is refused in a bulk file, too', async () => {
    const rows = [
      'editor,a@b.test,TRIAL,,',
      'editor,b@b.test,TRIAL,true,',
      'editor,c@b.test,TRIAL,,2096-01-31',
    ];
    const header = 'product,email,type,perpetual,validUntil';
    writeFileSync(join(it.cwd, 'trials.csv'), `${[header, ...rows].join('\n')}\n`);
    const run = await it.inside(['license', 'mint-bulk', 'trials.csv']);
    expect(run.code).toBe(7);
    expect(run.stdout).toMatch(/^ *2 +a@b\.test +failed: validUntil is required: a TRIAL needs an end/m);
    expect(run.stdout).toMatch(/^ *3 +b@b\.test .+ minted$/m);
    expect(run.stderr).toMatch(/^a date without a time was read as the end of that day \(.+\)$/m);
  });

  test('is refused for the purchases of an integration', async () => {
    const created = [
      'integration',
      'create',
      '--processor',
      'generic',
      '--name',
      'shop',
      '--generate-secret',
    ];
    const { id } = await it.answer<{ id: string }>(created);
    const map = ['integration', 'map', id, '--external', 'plan_1', '--product', 'editor'];
    const refused = await it.inside([...map, '--type', 'SUBSCRIPTION', '--json']);
    expect({ code: refused.code, message: errorOf(refused).message }).toEqual({
      code: 2,
      message:
        '--days is required: a SUBSCRIPTION needs an end date, and neither product editor nor its policy sets a term',
    });
    expect((await it.inside(['integration', 'show', id])).stdout).not.toContain('plan_1');
    expect((await it.inside([...map, '--type', 'SUBSCRIPTION', '--perpetual'])).code).toBe(0);
    expect((await it.inside([...map, '--max-activations', '2'])).code).toBe(0);
    expect((await it.inside([...map, '--type', 'TRIAL'])).code).toBe(2);
  });
});

test('--expires and --since take dates by the same rule', async () => {
  const berlin = { env: { TZ: 'Europe/Berlin' } };
  const create = ['apikey', 'create', '--service', 'license', '--name', 'ci', '--scope', 'READ_ONLY'];
  const key = await it.json<{ expiresAt: string }>([...create, '--expires', '2096-01-31'], berlin);
  expect(key.expiresAt).toBe('2096-01-31T22:59:59.999Z');
  for (const past of ['2020-01-31', '2400-01-31']) {
    expect((await it.inside([...create, '--expires', past])).code).toBe(2);
  }
  const since = await it.appctl(['requests', 'list', '--since', '2026-02-01'], berlin);
  expect(since.stderr).toContain(
    '--since 2026-02-01 is read as 2026-02-01 00:00:00 +01:00 (Europe/Berlin)\n',
  );
});
