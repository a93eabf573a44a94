// appctl license free-seat and license machines on floating licenses: a lease that staff takes back (cli.md 3.5; D62).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as seats from '#licensing/licenses/seats/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

interface License {
  id: string;
  key: string;
}
interface Batch {
  results: { success: boolean; machineId?: string; kind?: string; leaseExpiresAt?: string }[];
  summary: object;
  dryRun?: true;
}

let it: Installation;
let instance: Instance;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  instance = await it.open();
});
afterAll(async () => {
  await instance.close();
  it.remove();
});

const mint = (type: string) =>
  it.answer<License>([
    ...['license', 'mint', '--product', 'editor', '--email', 'a@x.test', '--reveal'],
    ...['--type', type, '--perpetual', '--max-activations', '3'],
  ]);

/** A floating license whose machines took their seats in this order. */
async function floating(...machineIds: string[]): Promise<License> {
  const license = await mint('FLOATING');
  for (const machineId of machineIds)
    await seats.checkout(instance.ctx, { licenseKey: license.key, machineId });
  return license;
}

const liveOf = async ({ id }: License) => {
  const { items } = await it.answer<{ items: { machineId: string }[] }>(['license', 'machines', 'list', id]);
  return items.map(({ machineId }) => machineId);
};
const eventsOf = async ({ id }: License): Promise<string[]> =>
  (await instance.database.db.knex('events').where({ subject: id }).orderBy('id')).map(({ type }) => type);

describe('license free-seat', () => {
  test('asks first, then takes the lease of the machine, and tells both events', async () => {
    const license = await floating('machine-0001', 'machine-0002');
    const words = ['license', 'free-seat', license.id, '--machine', 'machine-0002'];
    const asked = await it.appctl([...words, '--json']);
    expect({ code: asked.code, stdout: asked.stdout }).toEqual({ code: 10, stdout: '' });
    expect(errorOf(asked).hint).toBe('run it again with --yes');
    const plan = await it.answer<Batch>([...words, '--dry-run']);
    expect([plan.dryRun, await liveOf(license)]).toEqual([true, ['machine-0001', 'machine-0002']]);
    const { results } = await it.answer<Batch>([...words, '--yes']);
    expect(results).toEqual([
      expect.objectContaining({ success: true, machineId: 'machine-0002', kind: 'LEASE' }),
    ]);
    expect(await liveOf(license)).toEqual(['machine-0001']);
    expect((await eventsOf(license)).slice(-2)).toEqual(['LICENSE_DEACTIVATED', 'SEAT_CHECKED_IN']);
    const row = await instance.database.db
      .knex('license_activations')
      .where({ license_id: license.id, machine_id: 'machine-0002' })
      .first();
    expect(row.end_reason).toBe('ADMIN');
    // The seat is gone for its client too, and free for another one.
    const late = await it.inside([...words, '--yes']);
    expect({ code: late.code, stdout: late.stdout }).toEqual({ code: 3, stdout: '' });
    const next = await seats.checkout(instance.ctx, { licenseKey: license.key, machineId: 'machine-0003' });
    expect(next.seatsUsed).toBe(2);
  });

  test('--oldest takes the seat that is held the longest, one at a time, until none is left', async () => {
    const license = await floating('machine-0003', 'machine-0001', 'machine-0002');
    const words = ['license', 'free-seat', license.id, '--oldest', '--yes'];
    const freed: unknown[] = [];
    for (let round = 0; round < 3; round++) freed.push((await it.answer<Batch>(words)).results[0]?.machineId);
    expect(freed).toEqual(['machine-0003', 'machine-0001', 'machine-0002']);
    const none = await it.inside(words);
    expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 3, stdout: '' });
    expect(none.stderr).toMatch(/no seat of lic_\w+ is in use/);
  });

  test('a lease that has run out holds no seat: it is neither the oldest nor freed', async () => {
    const license = await floating('machine-0001', 'machine-0002');
    await instance.database.transaction(({ knex }) =>
      knex('license_activations')
        .where({ license_id: license.id, machine_id: 'machine-0001' })
        .update({ lease_expires_at: '2020-01-01T00:00:00.000Z' }),
    );
    await expect(machines.remove(instance.ctx, license.id, 'machine-0001')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const { results } = await it.answer<Batch>(['license', 'free-seat', license.id, '--oldest', '--yes']);
    expect(results[0]?.machineId).toBe('machine-0002');
    expect((await eventsOf(license)).slice(-2)).toEqual(['LICENSE_DEACTIVATED', 'SEAT_CHECKED_IN']);
    const run = await it.answer<{ result: object }>(['jobs', 'run', 'lease-expiry', '--wait']);
    expect(run.result).toEqual({ expired: 1, licenses: 1 });
  });

  test('of a license of another type it frees the slot', async () => {
    const license = await mint('PERPETUAL');
    await machines.activate(instance.ctx, { licenseKey: license.key, machineId: 'machine-0001' });
    const { results } = await it.answer<Batch>(['license', 'free-seat', license.id, '--oldest', '--yes']);
    expect(results).toEqual([expect.objectContaining({ machineId: 'machine-0001', kind: 'NODE' })]);
    expect((await eventsOf(license)).slice(-1)).toEqual(['LICENSE_DEACTIVATED']);
  });

  test.each([
    [[], 2, /give either --machine or --oldest/],
    [['--oldest', '--machine', 'machine-0001'], 2, /cannot be used together/],
    [['--machine', 'machine-0009'], 3, /is not active on the machine machine-0009/],
  ])('%j ends with %i', async (words, code, message) => {
    const license = await floating('machine-0001');
    const run = await it.inside(['license', 'free-seat', license.id, ...words, '--yes']);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
    expect(run.stderr).toMatch(message);
    expect(await liveOf(license)).toEqual(['machine-0001']);
  });

  test('of a license that nobody has ends with 3', async () => {
    expect((await it.inside(['license', 'free-seat', 'lic_nope', '--oldest', '--yes'])).code).toBe(3);
  });
});

describe('license machines remove on a floating license', () => {
  test('--all and --stale ask first, plan with --dry-run, and tell both events of each lease', async () => {
    const license = await floating('machine-0001', 'machine-0002', 'machine-0003');
    await instance.database.transaction(({ knex }) =>
      knex('license_activations')
        .where({ license_id: license.id, machine_id: 'machine-0002' })
        .update({ last_seen_at: '2020-01-01T00:00:00.000Z' }),
    );
    const remove = ['license', 'machines', 'remove', license.id];
    for (const which of [['--all'], ['--stale', '14d']])
      expect((await it.inside([...remove, ...which])).code).toBe(10);
    const plan = await it.answer<Batch>([...remove, '--stale', '14d', '--dry-run']);
    expect([plan.dryRun, plan.results.map(({ machineId }) => machineId)]).toEqual([true, ['machine-0002']]);
    expect(await liveOf(license)).toHaveLength(3);
    const stale = await it.answer<Batch>([...remove, '--stale', '14d', '--yes']);
    expect(stale.results.map(({ machineId }) => machineId)).toEqual(['machine-0002']);
    const all = await it.answer<Batch>([...remove, '--all', '--yes']);
    expect(all.summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
    const ends = (await eventsOf(license)).filter((type) => /DEACTIVATED|CHECKED_IN/.test(type));
    expect(ends).toEqual(Array.from({ length: 3 }, () => ['LICENSE_DEACTIVATED', 'SEAT_CHECKED_IN']).flat());
  });
});
