import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
});
afterAll(() => it.remove());

async function failure(...args: string[]) {
  const run = await it.inside([...args, '--json']);
  return { exit: run.code, ...errorOf(run) };
}
const answer = <T = Record<string, unknown>>(...args: string[]): Promise<T> => it.answer<T>(args);

describe('tenant', () => {
  test('create, show, update, suspend and resume; its products are its own', async () => {
    const made = await it.json([
      'tenant',
      'create',
      '--slug',
      'acme',
      '--name',
      'Acme',
      '--hostname',
      'a.example',
    ]);
    expect(made).toMatchObject({ slug: 'acme', hostnames: ['a.example'], status: 'ACTIVE' });
    await answer('product', 'create', '--tenant', 'acme', '--name', 'Theirs', '--slug', 'theirs');
    expect(await failure('product', 'show', 'theirs')).toMatchObject({ exit: 3 });
    await answer(
      'keyformat',
      'create',
      '--tenant',
      'acme',
      '--name',
      'long',
      '--prefix',
      'ACME',
      '--segments',
      '5',
    );
    expect(await answer('tenant', 'update', 'acme', '--key-format', 'long')).toMatchObject({
      defaultKeyFormatId: expect.stringMatching(/^fmt_/),
    });
    expect(await answer('tenant', 'update', 'acme', '--clear', 'hostname')).toMatchObject({ hostnames: [] });
    expect(await failure('tenant', 'suspend', 'acme')).toMatchObject({ exit: 10 });
    expect(await answer('tenant', 'suspend', 'acme', '--dry-run')).toMatchObject({ dryRun: true });
    expect(await answer('tenant', 'show', 'acme')).toMatchObject({ status: 'ACTIVE' });
    expect(await answer('tenant', 'suspend', 'acme', '--yes')).toMatchObject({ status: 'SUSPENDED' });
    expect(await answer('tenant', 'resume', 'acme')).toMatchObject({ status: 'ACTIVE' });
    const { items } = await answer<{ items: object[] }>('tenant', 'list');
    expect(items).toHaveLength(2);
  });

  test('refusals name the flag', async () => {
    expect(await failure('tenant', 'create', '--slug', 'A', '--name', 'X')).toMatchObject({
      exit: 2,
      message: expect.stringContaining('--slug'),
    });
    expect(await failure('tenant', 'create', '--name', '???')).toMatchObject({ exit: 2 });
    expect(await failure('tenant', 'create', '--slug', 'default', '--name', 'X')).toMatchObject({ exit: 5 });
    expect(await failure('tenant', 'update', 'nobody', '--name', 'X')).toMatchObject({ exit: 3 });
    expect(await failure('product', 'list', '--tenant', 'nope')).toMatchObject({
      exit: 3,
      hint: 'appctl tenant list',
    });
    expect(await failure('tenant', 'update', 'default')).toMatchObject({ exit: 2 });
    expect(await failure('tenant', 'suspend', 'default', '--yes')).toMatchObject({ exit: 5 });
  });
});

describe('customer', () => {
  test('create, update, merge', async () => {
    const made = await it.json([
      'customer',
      'create',
      '--email',
      'ann@x.test',
      '--name',
      'Ann',
      '--meta',
      'a=1',
    ]);
    expect(made).toMatchObject({ email: 'ann@x.test', metadata: { a: '1' }, licenses: [] });
    expect(await failure('customer', 'create', '--email', 'ANN@x.test')).toMatchObject({ exit: 5 });
    expect(await failure('customer', 'create', '--email', 'nothing')).toMatchObject({ exit: 2 });
    await answer('customer', 'update', 'ann@x.test', '--email', 'ann@new.test', '--clear', 'meta');
    expect(await answer('customer', 'show', 'ann@new.test')).toMatchObject({ name: 'Ann', metadata: {} });
    await answer('product', 'create', '--name', 'Editor', '--slug', 'editor');
    await answer('license', 'mint', '--product', 'editor', '--email', 'ann@old.test');
    expect(await failure('customer', 'merge', 'ann@old.test', 'ann@new.test')).toMatchObject({ exit: 10 });
    expect(await answer('customer', 'merge', 'ann@old.test', 'ann@new.test', '--yes')).toMatchObject({
      moved: 1,
    });
    expect(await failure('customer', 'show', 'ann@old.test')).toMatchObject({ exit: 3 });
  });

  test('erase demands the typed address', async () => {
    const { id } = await answer<{ id: string }>('customer', 'create', '--email', 'eve@x.test');
    expect(await failure('customer', 'erase', id, '--yes')).toMatchObject({ exit: 10 });
    expect(await failure('customer', 'erase', id, '--confirm', 'other@x.test')).toMatchObject({ exit: 10 });
    const report = await it.json(['customer', 'erase', id, '--confirm', 'eve@x.test']);
    expect(report).toEqual({ id, email: `anon-${id}@invalid`, licenses: 0, events: 0 });
    expect(await failure('customer', 'show', 'eve@x.test')).toMatchObject({ exit: 3 });
  });
});
