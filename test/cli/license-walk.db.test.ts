// The main walk of support, and the walls between tenants, on each kind of database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

interface License {
  id: string;
  key: string;
  status: string;
}
interface Page {
  items: License[];
}

let it: Installation;
let database: FreshDatabase;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

test('product, policy, key, license: made, found, validated, renewed, revoked, exported', async () => {
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  await it.answer(['policy', 'create', '--name', 'office', '--grace', '60', '--product', 'editor']);
  await it.answer(['apikey', 'create', '--service', 'license', '--name', 'ci', '--scope', 'FULL_ADMIN']);
  const plan = await it.answer<License>([
    'license',
    'mint',
    '--product',
    'editor',
    '--email',
    'a@x.test',
    '-n',
  ]);
  const words = [
    'license',
    'mint',
    '--product',
    'editor',
    '--email',
    'ann@x.test',
    '--days',
    '30',
    '--reveal',
  ];
  const license = await it.json<License>(words);
  const listed = await it.answer<Page>(['license', 'list']);
  expect(listed.items.map(({ id }) => id)).toEqual([license.id]);
  expect(listed.items[0]?.id).not.toBe(plan.id);
  expect((await it.answer<Page>(['license', 'find', 'ANN@x'])).items).toEqual(listed.items);
  const validate = ['license', 'validate', '--key-stdin', '--machine', 'machine-0001'];
  const answer = await it.json(validate, { input: license.key, code: 5 });
  expect(answer).toMatchObject({ valid: false, code: 'NOT_ACTIVATED' });
  await it.answer(['license', 'renew', license.id, '--days', '5']);
  const revoked = await it.answer<License>(['license', 'revoke', license.id, '--reason', 'refund', '--yes']);
  expect(revoked.status).toBe('REVOKED');
  const exported = await it.inside(['license', 'export', '--status', 'REVOKED']);
  expect(JSON.parse(exported.stdout)).toEqual((await it.answer<Page>(['license', 'list'])).items[0]);
  expect(await it.answer(['customer', 'show', 'ann@x.test'])).toMatchObject({
    licenses: [{ status: 'REVOKED' }],
  });
});

test('what belongs to another tenant is not found', async () => {
  const instance = await it.open();
  await instance.ctx.tx(async (ctx) => {
    const [own] = await ctx.db.knex('license_tenants').where({ id: ctx.tenantId });
    const other = { id: ctx.newId('ten'), slug: 'other', name: 'Other' };
    await ctx.db.knex('license_tenants').insert({ ...own, ...other });
  });
  await instance.close();
  const [license] = (await it.answer<Page>(['license', 'list'])).items;
  const [key] = (await it.answer<{ items: { id: string }[] }>(['apikey', 'list'])).items;
  const id = license?.id ?? '';
  expect((await it.answer<Page>(['--tenant', 'other', 'license', 'list'])).items).toEqual([]);
  for (const words of [
    ['license', 'show', id],
    ['license', 'reveal', id, '--reason', 'x'],
    ['license', 'find', 'ann@x.test'],
    ['license', 'suspend', id, '--reason', 'x'],
    ['license', 'resume', id],
    ['license', 'revoke', id, '--reason', 'x', '--yes'],
    ['license', 'renew', id, '--days', '1'],
    ['license', 'update', id, '--tier', 'BUSINESS'],
    ['license', 'transfer', id, '--to-email', 'b@x.test'],
    ['license', 'change-policy', id, 'office'],
    ['license', 'rekey', id, '--reason', 'x', '--yes'],
    ['license', 'delete', id, '--yes'],
    ['license', 'restore', id],
    ['license', 'purge', id, '--confirm', id],
    ['license', 'machines', 'clear', id, '--yes'],
    ['license', 'machines', 'list', id],
    ['license', 'machines', 'remove', id, '--all', '--yes'],
    ['license', 'free-seat', id, '--oldest', '--yes'],
    ['license', 'validate', '--license', id, '--machine', 'machine-0001'],
    ['product', 'show', 'editor'],
    ['policy', 'show', 'office'],
    ['customer', 'show', 'ann@x.test'],
    ['apikey', 'revoke', key?.id ?? '', '--yes'],
  ]) {
    const run = await it.inside(['--tenant', 'other', ...words]);
    expect({ words, code: run.code, stdout: run.stdout }).toEqual({ words, code: 3, stdout: '' });
  }
  expect((await it.inside(['--tenant', 'nope', 'license', 'list'])).code).toBe(3);
});
