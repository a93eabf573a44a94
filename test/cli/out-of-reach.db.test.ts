// What the service can do is within reach of the command line: switches of products, own keys, the default format.
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

const show = (product: string) => it.answer(['product', 'show', product]);
const mint = ['license', 'mint', '--product', 'editor', '--email', 'a@x.test'];
const keyOf = async (...words: string[]): Promise<string> =>
  (await it.answer<{ key: string }>([...mint, '--reveal', ...words])).key;
async function refusal(words: readonly string[]): Promise<{ code: number; message: string; hint: unknown }> {
  const run = await it.inside([...words, '--json']);
  expect(run.stdout).toBe('');
  const { message, hint } = errorOf(run);
  return { code: run.code ?? 0, message, hint };
}

test('product: the three switches and metadata', async () => {
  expect(await show('editor')).toMatchObject({
    prereleaseNeedsBeta: false,
    criticalUpdatesForExpired: false,
    statementRequired: false,
    metadata: {},
  });
  const create = ['product', 'create', '--name', 'Studio', '--slug', 'studio', '--meta', 'team=blue'];
  const switches = ['--prerelease-needs-beta', '--critical-updates-for-expired', '--statement-required'];
  await it.answer([...create, '--meta', 'cost=7', ...switches]);
  const on = { prereleaseNeedsBeta: true, criticalUpdatesForExpired: true, statementRequired: true };
  expect(await show('studio')).toMatchObject({ ...on, metadata: { team: 'blue', cost: '7' } });
  const update = [
    'product',
    'update',
    'studio',
    '--critical-updates-for-expired',
    'no',
    '--meta',
    'team=red',
  ];
  const changed = { ...on, criticalUpdatesForExpired: false, metadata: { team: 'red' } };
  expect(await it.answer(update)).toMatchObject(changed);
  expect(await show('studio')).toMatchObject(changed);
  expect(await it.answer(['product', 'update', 'studio', '--clear', 'meta'])).toMatchObject({ metadata: {} });
  const off = ['product', 'create', '--name', 'Off', '--slug', 'off', '--statement-required', 'no'];
  expect(await it.answer(off)).toMatchObject({ statementRequired: false });
  const human = await it.inside(['product', 'show', 'studio']);
  expect(human.stdout).toMatch(/^statement required +yes$/m);
  expect(human.stdout).toMatch(/^critical updates for expired +no$/m);
  expect(await refusal(['product', 'update', 'studio', '--statement-required', 'maybe'])).toMatchObject({
    code: 2,
    message: "--statement-required 'maybe' is invalid",
  });
});

describe('license mint', () => {
  const own = 'OWN-7F3K-AAAA-BBBB-CCCC';

  test('takes an own key from a file, stdin or a variable, and never as a word', async () => {
    writeFileSync(join(it.cwd, 'own.txt'), `${own}\n`);
    expect(await keyOf('--key-file', 'own.txt')).toBe(own);
    const piped = await it.inside([...mint, '--key-stdin', '--reveal', '--json'], {
      input: 'OWN-PIPE-0001-0002\n',
    });
    expect(JSON.parse(piped.stdout)).toMatchObject({ key: 'OWN-PIPE-0001-0002' });
    const env = { MY_KEY: 'OWN-VARI-0001-0002' };
    const named = await it.inside([...mint, '--key-env', 'MY_KEY', '--reveal', '--json'], { env });
    expect(JSON.parse(named.stdout)).toMatchObject({ key: 'OWN-VARI-0001-0002' });
    expect((await refusal([...mint, '--key', own])).code).toBe(2);
  });

  test('refuses an own key that is taken, malformed or meant for several licenses', async () => {
    expect(await refusal([...mint, '--key-file', 'own.txt'])).toMatchObject({
      code: 5,
      message: 'the key of --key-file is taken by another license',
    });
    writeFileSync(join(it.cwd, 'bad.txt'), 'no key!\n');
    expect((await refusal([...mint, '--key-file', 'bad.txt'])).code).toBe(2);
    writeFileSync(join(it.cwd, 'empty.txt'), ' \n');
    expect((await refusal([...mint, '--key-file', 'empty.txt'])).code).toBe(2);
    expect(await refusal([...mint, '--key-file', 'own.txt', '--count', '2'])).toMatchObject({
      code: 2,
      message: 'one key cannot be used for 2 licenses',
    });
  });

  test('mints for a product that is not sold any more only with --force', async () => {
    await it.answer(['product', 'create', '--name', 'Old', '--slug', 'old']);
    await it.answer(['product', 'discontinue', 'old']);
    const old = ['license', 'mint', '--product', 'old', '--email', 'a@x.test'];
    expect(await refusal(old)).toMatchObject({
      code: 2,
      message: expect.stringMatching(/old is DISCONTINUED and no longer sold$/),
      hint: 'add --force to mint it anyway',
    });
    expect(await it.answer([...old, '--force'])).toMatchObject({ productSlug: 'old' });
    expect(await it.answer([...old, '--force', '--count', '2'])).toMatchObject({ summary: { succeeded: 2 } });
  });
});

describe('licensing.default_key_format', () => {
  const set = ['settings', 'set', 'licensing.default_key_format'];

  test('is the format of products and tenants that name none', async () => {
    expect(await keyOf()).toMatch(/^APP-/);
    await it.answer(['keyformat', 'create', '--name', 'house', '--prefix', 'HOUSE', '--segments', '5']);
    await it.answer(['keyformat', 'create', '--name', 'own', '--prefix', 'PROD', '--segments', '4']);
    expect(await it.answer([...set, 'house'])).toMatchObject({ old: null, new: 'house' });
    expect(await keyOf()).toMatch(/^HOUSE(-\w{4}){5}$/);
    await it.answer(['product', 'update', 'editor', '--key-format', 'own']);
    expect(await keyOf()).toMatch(/^PROD-/);
    await it.answer(['product', 'update', 'editor', '--clear', 'key-format']);
    await it.answer(['tenant', 'create', '--slug', 'other', '--name', 'Other']);
    const other = ['--tenant', 'other'];
    await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor', ...other]);
    expect(await keyOf(...other)).toMatch(/^APP-/);
  });

  test('names a format that exists, which then cannot go away', async () => {
    expect(await refusal([...set, 'nowhere'])).toMatchObject({
      code: 3,
      message: 'key format nowhere was not found',
    });
    const used = 'key format house is the default of the setting licensing.default_key_format';
    expect(await refusal(['keyformat', 'delete', 'house', '--yes'])).toMatchObject({
      code: 5,
      message: `${used} and cannot be deleted`,
      hint: 'appctl settings unset licensing.default_key_format',
    });
    expect(await refusal(['keyformat', 'update', 'house', '--name', 'home'])).toMatchObject({
      code: 5,
      message: `${used} and cannot be renamed`,
    });
    await it.answer(['settings', 'unset', 'licensing.default_key_format']);
    expect(await keyOf()).toMatch(/^APP-/);
    await it.answer(['keyformat', 'delete', 'house', '--yes']);
  });
});
