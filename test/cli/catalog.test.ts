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

describe('product', () => {
  test('create fills the defaults in; show, list and update tell the same', async () => {
    const made = await it.json<Named>(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
    expect(made).toMatchObject({
      name: 'Editor',
      slug: 'editor',
      type: 'DESKTOP',
      status: 'ACTIVE',
      licensingMode: 'STANDARD',
      defaultLicenseType: 'PERPETUAL',
      defaultMaxActivations: 1,
      defaultDurationDays: null,
    });
    expect(await it.answer(['product', 'show', 'editor'])).toEqual(made);
    expect(await it.answer(['product', 'show', made.id])).toEqual(made);
    const changes = ['--default-days', '30', '--default-type', 'TRIAL', '--name', 'Editor 2'];
    const changed = await it.answer<Named>(['product', 'update', 'editor', ...changes]);
    expect(changed).toEqual({
      ...made,
      name: 'Editor 2',
      defaultLicenseType: 'TRIAL',
      defaultDurationDays: 30,
      updatedAt: expect.any(String),
    });
    const cleared = await it.answer<Named>(['product', 'update', 'editor', '--clear', 'default-days']);
    expect(cleared.defaultDurationDays).toBeNull();
    const page = await it.answer<{ items: Named[] }>(['product', 'list', '--q', 'edit']);
    expect(page.items).toEqual([cleared]);
  });

  test('deprecate, discontinue and activate move the status', async () => {
    await it.answer(['product', 'create', '--name', 'Moving', '--slug', 'moving']);
    for (const [verb, status] of [
      ['deprecate', 'DEPRECATED'],
      ['discontinue', 'DISCONTINUED'],
      ['activate', 'ACTIVE'],
    ] as const) {
      expect(await it.answer(['product', verb, 'moving'])).toMatchObject({ status });
    }
    const plan = await it.answer<Named>(['product', 'deprecate', 'moving', '--dry-run']);
    expect(plan).toMatchObject({ status: 'DEPRECATED', dryRun: true });
    expect(await it.answer(['product', 'show', 'moving'])).toMatchObject({ status: 'ACTIVE' });
  });

  test('delete needs the typed name and a product without licenses', async () => {
    await it.answer(['product', 'create', '--name', 'Gone', '--slug', 'gone']);
    expect(await failure('product', 'delete', 'gone', '--yes')).toMatchObject({
      exit: 10,
      hint: 'run it again with --confirm gone',
    });
    await it.answer(['license', 'mint', '--product', 'gone', '--email', 'ann@x.test']);
    expect(await failure('product', 'delete', 'gone', '--confirm', 'gone')).toMatchObject({ exit: 5 });
    await it.answer(['product', 'create', '--name', 'Empty', '--slug', 'empty']);
    const gone = await it.answer<Named>(['product', 'delete', 'empty', '--confirm', 'empty']);
    expect(gone.slug).toBe('empty');
    expect(await failure('product', 'show', gone.id)).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
  });

  test('create derives the slug from the name, as its question proposes it', async () => {
    expect(await it.answer(['product', 'create', '--name', 'My Äpp 2'])).toMatchObject({ slug: 'my-app-2' });
  });

  test.each([
    [['create', '--name', 'X', '--slug', 'Bad Slug'], 2, /^--slug must be/],
    [['create', '--name', '', '--slug', 'x'], 2, /^--name /],
    [['create', '--name', '???'], 2, /^--slug is required/],
    [['create', '--name', 'X', '--slug', 'x', '--type', 'CAR'], 2, /^--type 'CAR'/],
    [
      ['create', '--name', 'X', '--slug', 'x', '--default-max-activations', '1001'],
      2,
      /^--default-max-activations/,
    ],
    [['create', '--name', 'X', '--slug', 'x', '--policy', 'nope'], 3, /policy nope/],
    [['create', '--name', 'X', '--slug', 'editor'], 5, /slug editor is taken/],
    [['update', 'editor'], 2, /nothing to change/],
    [['update', 'editor', '--clear', 'policy', '--policy', 'x'], 2, /cannot be used together/],
    [['deprecate', 'nope'], 3, /product nope was not found/],
    [['list', '--limit', '501'], 2, /^--limit '501'/],
    [['list', '--page', '0'], 2, /^--page '0'/],
  ])('product %j ends with %i', async (words, exit, message) => {
    const failed = await failure('product', ...words);
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
  });
});

describe('policy', () => {
  test('create with --product attaches it; entitlements are typed', async () => {
    await it.answer(['product', 'create', '--name', 'Ruled', '--slug', 'ruled']);
    const rules = [
      '--heartbeat-interval',
      '10',
      '--cull-strategy',
      'DEACTIVATE_DEAD',
      '--default-lease',
      '3600',
    ];
    const entitlements = [
      '--entitlement',
      'export',
      '--entitlement',
      'seats=5',
      '--entitlement',
      'plan=pro',
      '--entitlement',
      'beta=false',
    ];
    const made = await it.json<Named>([
      'policy',
      'create',
      '--name',
      'office',
      ...rules,
      ...entitlements,
      '--product',
      'ruled',
    ]);
    expect(made).toMatchObject({
      name: 'office',
      heartbeatInterval: 10,
      heartbeatCullStrategy: 'DEACTIVATE_DEAD',
      defaultLeaseDuration: 3600,
      entitlements: { export: true, seats: 5, plan: 'pro', beta: false },
      gracePeriodSeconds: 0,
      trialReuse: 'FLAG',
      abuseAction: 'NONE',
    });
    expect(await it.answer(['product', 'show', 'ruled'])).toMatchObject({ policyId: made.id });
    expect(await it.answer(['policy', 'show', 'office'])).toEqual(made);
    expect(await failure('policy', 'delete', 'office')).toMatchObject({
      exit: 5,
      details: { reason: 'IN_USE' },
    });
    await it.answer(['policy', 'detach', 'office', '--product', 'ruled']);
    expect(await it.answer(['product', 'show', 'ruled'])).toMatchObject({ policyId: null });
    expect(await it.answer(['policy', 'delete', made.id])).toEqual({
      ...made,
      linked: { products: 0, licenses: 0 },
    });
    expect(await failure('policy', 'show', 'office')).toMatchObject({ exit: 3 });
  });

  test('attach names licenses, update and clear change rules', async () => {
    await it.answer(['policy', 'create', '--name', 'strict', '--max-uses', '5', '--grace', '60']);
    const updated = await it.answer<Named>([
      'policy',
      'update',
      'strict',
      '--grace',
      '120',
      '--clear',
      'max-uses',
    ]);
    expect(updated).toMatchObject({ gracePeriodSeconds: 120, maxUses: null });
    await it.answer(['product', 'create', '--name', 'P', '--slug', 'with-license']);
    const license = await it.answer<Named>([
      'license',
      'mint',
      '--product',
      'with-license',
      '--email',
      'a@x.test',
    ]);
    await it.answer(['policy', 'attach', 'strict', '--license', license.id]);
    expect(await it.answer(['license', 'show', license.id])).toMatchObject({ policyId: updated.id });
    const missing = await failure(
      'policy',
      'attach',
      'strict',
      '--license',
      license.id,
      '--license',
      'lic_nope',
    );
    expect(missing).toMatchObject({ exit: 3 });
  });

  test('a policy whose product is unknown is not made', async () => {
    expect(await failure('policy', 'create', '--name', 'lost', '--product', 'nope')).toMatchObject({
      exit: 3,
    });
    expect(await failure('policy', 'show', 'lost')).toMatchObject({ exit: 3 });
  });

  test.each([
    [
      ['create', '--name', 'x', '--max-deactivations', '3'],
      2,
      /--max-deactivations and --deactivation-window/,
    ],
    [['create', '--name', 'x', '--max-version', 'v2'], 2, /^--max-version /],
    [['create', '--name', 'x', '--default-lease', '59'], 2, /^--default-lease '59'/],
    [['create', '--name', 'x', '--default-lease', '99999999'], 2, /^--default-lease must be at most/],
    [['create', '--name', 'x', '--entitlement', '=1'], 2, /^--entitlement '=1'/],
    [['attach', 'strict'], 2, /--product or --license is required/],
    [['update', 'nope', '--grace', '1'], 3, /policy nope was not found/],
  ])('policy %j ends with %i', async (words, exit, message) => {
    const failed = await failure('policy', ...words);
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
  });
});
