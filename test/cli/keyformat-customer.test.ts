import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
});
afterAll(() => it.remove());

interface Named {
  id: string;
  [field: string]: unknown;
}

/** Runs a command that must fail and gives its code, its message and what it printed. */
async function failure(...args: string[]) {
  const run = await it.inside([...args, '--json']);
  return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
}

describe('keyformat', () => {
  const form = ['--prefix', 'EDIT', '--segments', '5', '--checksum', 'LUHN'];

  test('create, show, update and delete; keys of its product have its form', async () => {
    const made = await it.json<Named & { samples: string[] }>([
      'keyformat',
      'create',
      '--name',
      'long',
      ...form,
    ]);
    expect(made).toMatchObject({
      prefix: 'EDIT',
      segments: 5,
      segmentLength: 4,
      alphabet: 'CROCKFORD32',
      entropyBits: 95,
    });
    expect(made.samples).toHaveLength(5);
    for (const sample of made.samples) expect(sample).toMatch(/^EDIT(-[0-9A-Z]{4}){5}$/);
    await it.answer(['product', 'create', '--name', 'K', '--slug', 'keyed', '--key-format', 'long']);
    const mint = ['license', 'mint', '--product', 'keyed', '--email', 'a@x.test', '--reveal'];
    expect((await it.answer<Named>(mint)).key).toMatch(/^EDIT(-[0-9A-Z]{4}){5}$/);
    await it.answer(['keyformat', 'update', 'long', '--segments', '6']);
    expect((await it.answer<Named>(mint)).key).toMatch(/^EDIT(-[0-9A-Z]{4}){6}$/);
    expect(await failure('keyformat', 'delete', 'long')).toMatchObject({
      exit: 5,
      details: { reason: 'IN_USE' },
    });
    await it.answer(['product', 'update', 'keyed', '--clear', 'key-format']);
    await it.answer(['keyformat', 'delete', 'long']);
    expect(await failure('keyformat', 'show', 'long')).toMatchObject({ exit: 3 });
  });

  test('preview stores nothing', async () => {
    const plain = await it.answer<{ samples: string[] }>([
      'keyformat',
      'preview',
      '--prefix',
      'AB',
      '--segments',
      '4',
    ]);
    expect(plain).toMatchObject({ prefix: 'AB', checksum: 'NONE', entropyBits: 80 });
    const page = await it.answer<{ items: unknown[] }>(['keyformat', 'list']);
    expect(page.items).toEqual([]);
  });

  test.each([
    [['create', '--name', 'x', '--prefix', 'ab', '--segments', '4'], 2, /^--prefix must be/],
    [['create', '--name', 'x', '--prefix', 'AB', '--segments', '3'], 2, /^--segments '3'/],
    [
      ['preview', '--prefix', 'AB', '--segments', '4', '--alphabet', 'HEX', '--checksum', 'LUHN'],
      2,
      /^--segments gives 60 bits/,
    ],
    [['preview', '--segments', '4'], 2, /--prefix is required/],
    [['update', 'nope', '--segments', '4'], 3, /key format nope was not found/],
  ])('keyformat %j ends with %i', async (words, exit, message) => {
    const failed = await failure('keyformat', ...words);
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
  });
});

describe('customer', () => {
  test('list and show name the licenses with masked keys', async () => {
    await it.answer(['product', 'create', '--name', 'C', '--slug', 'bought']);
    const mint = ['license', 'mint', '--product', 'bought', '--email'];
    const first = await it.answer<Named>([...mint, 'Cleo@X.test', '--name', 'Cleo']);
    const second = await it.answer<Named>([...mint, 'cleo@x.test']);
    const shown = await it.json<Named>(['customer', 'show', 'CLEO@x.test']);
    expect(shown).toMatchObject({ email: 'Cleo@X.test', name: 'Cleo', metadata: {} });
    expect(shown.licenses).toEqual([
      { id: first.id, keyMasked: first.keyMasked, product: 'bought', status: 'ACTIVE' },
      { id: second.id, keyMasked: second.keyMasked, product: 'bought', status: 'ACTIVE' },
    ]);
    const page = await it.answer<{ items: Named[] }>(['customer', 'list', '--q', 'cleo']);
    expect(page.items).toEqual([shown]);
    expect(await failure('customer', 'show', 'nobody@x.test')).toMatchObject({ exit: 3 });
  });
});

test('completion offers the slugs of products', async () => {
  await it.answer(['product', 'create', '--name', 'Z', '--slug', 'zebra']);
  const run = await it.inside(['complete-words', '--', 'license', 'mint', '--product', 'zeb']);
  expect(run.stdout).toContain('zebra');
});
