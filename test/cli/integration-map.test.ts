import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  await it.answer(['policy', 'create', '--name', 'office']);
});
afterAll(() => it.remove());

interface Config {
  id: string;
  name: string;
  url: string;
  secret?: string;
  mappings: { id: string }[];
  [field: string]: unknown;
}

const words = (line: string) => ['integration', ...line.split(' ')];
const answer = <T = Config>(line: string, options = {}) => it.answer<T>(words(line), options);
const person = (line: string, options = {}) => it.inside(words(line), options);

/** Runs a command that must fail and gives its code, its message and what it printed. */
async function failure(line: string, options = {}) {
  const run = await it.inside([...words(line), '--json'], options);
  return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
}

describe('integration map', () => {
  beforeAll(async () => {
    await answer('create --processor generic --name mapped');
  });

  test('maps a product, and the same external id again changes what is given', async () => {
    const made = await answer<{ id: string }>(
      'map mapped --external plan_1 --product editor --type SUBSCRIPTION --days 365',
    );
    expect(made).toMatchObject({
      externalProductId: 'plan_1',
      product: 'editor',
      licenseType: 'SUBSCRIPTION',
      licenseTier: 'PERSONAL',
      maxActivations: 1,
      durationDays: 365,
      policyId: null,
      quantityMode: 'LICENSES',
      onRefund: 'NONE',
    });
    const options =
      '--tier BUSINESS --max-activations 5 --policy office --quantity-mode seats --on-refund revoke';
    const changed = await answer<Record<string, unknown>>(
      `map mapped --external plan_1 --product editor ${options}`,
    );
    expect(changed).toEqual({
      ...made,
      licenseTier: 'BUSINESS',
      maxActivations: 5,
      policyId: expect.stringMatching(/^pol_/),
      quantityMode: 'SEATS',
      onRefund: 'REVOKE',
    });
    expect(
      await answer('map mapped --external plan_1 --product editor --perpetual --clear policy'),
    ).toMatchObject({ licenseType: 'PERPETUAL', durationDays: null, policyId: null });
    expect((await answer('show mapped')).mappings).toMatchObject([{ id: made.id }]);
    expect(await answer('mappings mapped')).toMatchObject({ items: [{ id: made.id }] });
  });

  test('tells a person what a mapping sells, and warns of a perpetual license with an end', async () => {
    const run = await person('map mapped --external odd --product editor --days 30');
    expect(run.stderr).toMatch(/mapped odd → editor: PERPETUAL, PERSONAL, 1 seat, 30 days/);
    expect(run.stderr).toMatch(/warning: PERPETUAL licenses with an end/);
    expect(run.stderr).toMatch(/Next: appctl integration test inb_/);
    expect((await person('show mapped')).stdout).toContain('odd → editor');
  });

  test('unmap asks, and takes the mapping away by external id or by its own', async () => {
    await answer('map mapped --external one --product editor');
    const two = await answer<{ id: string }>('map mapped --external two --product editor');
    expect(await failure('unmap mapped --external one')).toMatchObject({ exit: 10 });
    expect(await answer('unmap mapped --external one --yes')).toMatchObject({ externalProductId: 'one' });
    expect(await answer(`unmap mapped --external ${two.id} --yes`)).toEqual(two);
    expect(await failure('unmap mapped --external two --yes')).toMatchObject({ exit: 3 });
  });

  test.each([
    ['map mapped --external x', 2, /^--product is required/],
    ['map mapped --product editor', 2, /^--external is required/],
    ['map mapped --external x --product nope', 3, /product nope was not found/],
    ['map mapped --external x --product editor --policy nope', 3, /policy nope was not found/],
    ['map nope --external x --product editor', 3, /integration nope was not found/],
    ['map mapped --external x --product editor --type FLOATING', 2, /^--type 'FLOATING'/],
    ['map mapped --external x --product editor --days 0', 2, /^--days '0'/],
    ['map mapped --external x --product editor --days 3661', 2, /^--days '3661'/],
    ['map mapped --external x --product editor --max-activations 1001', 2, /^--max-activations '1001'/],
    ['map mapped --external x --product editor --days 30 --perpetual', 2, /cannot be used together/],
  ])('%s ends with %i', async (line, exit, message) => {
    const failed = await failure(line);
    expect(failed).toMatchObject({ exit, stdout: '' });
    expect(failed.message).toMatch(message);
  });
});

describe('integration simulate', () => {
  beforeAll(async () => {
    await answer('create --processor generic --name dry');
    await answer('map dry --external plan_1 --product editor --perpetual');
  });
  const event = (more: object) => JSON.stringify({ id: 'e1', event: 'payment', email: 'a@x.test', ...more });

  test('tells what an event would make, and makes nothing', async () => {
    const items = [{ productId: 'plan_1', quantity: 2 }, { productId: 'other' }];
    const told = await answer<{ wouldCreate: object[] }>('simulate dry --file -', {
      input: event({ items }),
    });
    expect(told).toMatchObject({
      status: 'PROCESSED',
      matched: [{ externalProductId: 'plan_1' }],
      unmapped: ['other'],
    });
    expect(told.wouldCreate).toHaveLength(2);
    expect(await answer('events dry')).toMatchObject({ items: [] });
    expect(await it.answer(['license', 'list'])).toMatchObject({ items: [] });
  });

  test('ends with 6 when the event would fail, and with 2 when it is none', async () => {
    const unmapped = event({ items: [{ productId: 'other' }] });
    const told = await answer('simulate dry --file -', { input: unmapped, code: 6 });
    expect(told).toMatchObject({ status: 'FAILED', reason: 'UNMAPPED', wouldCreate: [] });
    const run = await it.inside([...words('simulate dry --file -'), '--json'], { input: 'no event' });
    expect(run.code).toBe(2);
    expect(errorOf(run).message).toMatch(/^--file is not a JSON object/);
  });
});
