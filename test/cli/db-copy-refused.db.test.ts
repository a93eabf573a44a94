// What no copy is made into, or of; what stops one and how it goes on.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Copying, change, openCopying, rowsOf } from '../support/copying.ts';
import { startServer } from '../support/server-process.ts';

let copying: Copying;
beforeAll(async () => {
  copying = await openCopying();
}, 240_000);
afterAll(() => copying.close());

const failed = (run: Awaited<ReturnType<Copying['copy']>>) => [run.code, errorOf(run).message] as const;
const isPostgres = () => inject('databaseKind') === 'postgres';

test.each([
  [[], /the target is missing/],
  [['--to', 'mysql://x/y'], /not a database address/],
  [['--to', 'sqlite:a.db', '--to-env', 'B'], /--to-env/],
  [['--to-file', 'gone'], /--to-file: the file gone does not exist/],
])('%j names no target: 2', async (args, words) => {
  const run = await runInside(['db', 'copy', ...args, '--json'], {
    cwd: copying.folder,
    env: copying.envOf(),
  });
  expect(failed(run)).toEqual([2, expect.stringMatching(words)]);
});

test('the source is refused as a target, whatever its name', async () => {
  expect(failed(await copying.copy(copying.url))).toEqual([5, expect.stringContaining('the same database')]);
});

test('a database of another program is refused as a target and stays as it was', async () => {
  const there = await copying.newTarget();
  await change(there, (knex) => knex.schema.createTable('invoices_of_others', (t) => void t.text('id')));
  expect(failed(await copying.copy(there))).toEqual([
    5,
    expect.stringContaining('tables of another program (invoices_of_others)'),
  ]);
  expect(Object.keys(await rowsOf(there))).toEqual(['invoices_of_others']);
});

test('an installation is overwritten with its confirmation only, of a copy that was served too', async () => {
  const { newTarget, folder, copy, url } = copying;
  const there = await newTarget();
  const env = { APPCTL_DATA_DIR: join(folder, 'other'), APPCTL_DATABASE_URL: there };
  await runInside(['setup', '--owner-email', 'b@x.test', '--generate-password'], { cwd: folder, env });
  const before = await rowsOf(there);
  for (const args of [[], ['--yes'], ['--confirm', 'shop']]) {
    const run = await copy(there, args);
    expect(failed(run)).toEqual([
      10,
      expect.stringMatching(/overwrite installation ins_\w+ in .*0 licenses/),
    ]);
    expect(errorOf(run).hint).toContain('--confirm appctl');
  }
  expect(await rowsOf(there)).toEqual(before);
  expect((await copy(there, ['--confirm', 'appctl'])).code).toBe(0);
  expect(await rowsOf(there)).toEqual(await rowsOf(url));
  expect(failed(await copy(there))).toEqual([10, expect.stringContaining('overwrite this installation')]);
});

test('a target that a server uses is refused, and a source is not', async () => {
  const { newTarget, folder, copy } = copying;
  const there = await newTarget();
  const env = { APPCTL_DATA_DIR: join(folder, 'served'), APPCTL_DATABASE_URL: there };
  const server = await startServer([], { cwd: folder, env });
  try {
    const [code, message] = failed(await copy(there, ['--confirm', 'appctl']));
    expect([code, message]).toEqual([
      5,
      expect.stringMatching(/already served by process|in use by another appctl/),
    ]);
  } finally {
    await server.stop();
  }
});

test('a target with a newer schema is refused, a source with an older one too', async () => {
  const { newTarget, newFile, copy } = copying;
  const there = await newTarget();
  expect((await copy(there)).code).toBe(0);
  const row = { name: '9999-later', at: '2026-01-01T00:00:00.000Z', ms: 0, checksum: 'x' };
  await change(there, (knex) => knex('schema_migrations').insert(row));
  expect(failed(await copy(there, ['--confirm', 'appctl']))).toEqual([
    5,
    expect.stringContaining('newer appctl'),
  ]);
  await change(there, async (knex) => {
    await knex('schema_migrations').where({ name: '9999-later' }).delete();
    const { name } = (await knex('schema_migrations').orderBy('name', 'desc').first()) as { name: string };
    await knex('schema_migrations').where({ name }).delete();
  });
  const run = await copy(newFile(), [], there);
  expect([run.code, errorOf(run).hint]).toEqual([8, expect.stringContaining('appctl migrate up')]);
});

test('a server that is away, and a place that cannot be written, say which end it is', async () => {
  for (const to of [
    'postgres://nobody:secret@127.0.0.1:1/x',
    `sqlite:${join(copying.folder, 'none', 'there', 'c.db')}`,
  ]) {
    const run = await copying.copy(to);
    expect(failed(run)).toEqual([9, expect.stringContaining('the target cannot be opened')]);
    expect(run.stderr).not.toContain('secret');
  }
});

test.each(['postgres://nobody:secret@127.0.0.1:1/x', 'postgres://nobody@127.0.0.1:1/x?password=secret'])(
  'an address with a password on the command line is warned of and never printed: %s',
  async (to) => {
    const args = ['db', 'copy', '--to', to];
    const run = await runInside(args, { cwd: copying.folder, env: copying.envOf() });
    expect([run.code, run.stderr]).toEqual([9, expect.stringMatching(/can see the password in --to/)]);
    expect(run.stderr).not.toContain('secret');
  },
);

test.each([
  'postgres://appctl:pa/secret@h/x',
  'postgres://appctl:secret#1@h/x',
  'postgres://appctl:5?secret@h/x',
  'postgres://appctl:secret@a:5432,b:5432/x',
  "host=h password='a secret' dbname=x",
])('an address that is none is never printed, of a file neither: %s', async (text) => {
  const { folder: cwd, envOf } = copying;
  writeFileSync(join(cwd, 'wrong'), `${text}\n`);
  for (const to of [
    ['--to', text],
    ['--to-file', 'wrong'],
  ]) {
    const run = await runInside(['db', 'copy', ...to], { cwd, env: envOf() });
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/percent-encode/)]);
    expect(run.stderr + run.stdout).not.toContain('secret');
  }
});

test('a file names the target', async () => {
  const { folder: cwd, newFile, envOf } = copying;
  writeFileSync(join(cwd, 'target'), `${newFile()}\n`);
  const run = await runInside(['db', 'copy', '--to-file', 'target'], { cwd, env: envOf() });
  expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/master\.key/)]);
  expect(run.stdout).toMatch(/^Copied [\d,]+ rows of \d+ tables to sqlite:.*All tables match by row count/);
});

test('a value that the target cannot store is named with its row; a copy without it goes on', async () => {
  const { copy, newFile, newTarget } = copying;
  const file = newFile();
  expect((await copy(file)).code).toBe(0);
  const there = await newTarget();
  const set = (column: string, value: string) =>
    change(file, (knex) => knex('license_customers').update({ [column]: value }));
  const refused = async (column: string, value: string, reason: RegExp) => {
    await set(column, value);
    const run = await copy(there, [], file);
    expect([value, ...failed(run)]).toEqual([value, 5, expect.stringMatching(reason)]);
    expect(errorOf(run).message).toMatch(new RegExp(`^license_customers cus_\\w+: ${column} contains `));
  };
  await refused('metadata', '1e400', /a number that is too large/);
  await refused('metadata', '{"a":', /text that is not valid JSON/);
  if (isPostgres()) {
    await refused('metadata', '{"a":["\\ud800"]}', /half of a surrogate pair/);
    await refused('metadata', '{"\\u0000":1}', /\(NUL\)/);
    await refused('metadata', '{"a":1e200000}', /a number that is too large/);
    await set('metadata', '{"a":"\\\\u0000"}');
    await refused('name', 'An\u0000n', /\(NUL\)/);
  }
  await set('metadata', '{}');
  await set('name', 'Ann');
  expect((await copy(there, [], file)).code).toBe(0);
  rmSync(file.slice('sqlite:'.length));
}, 120_000);
