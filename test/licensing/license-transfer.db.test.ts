// transfer of a license and clearing of its machines (licensing 4.2; D50, D62, D63).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { activate, clear } from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Tries what must be refused, and leaves nothing behind. */
async function refused(work: () => Promise<unknown>, code: string) {
  const { result, changes } = await app.changesBy(() => work().then(String, (error: unknown) => error));
  expect(result).toMatchObject({ code });
  expect(changes).toEqual(nothing);
}

describe('transfer', () => {
  const transfer = (id: string, input: object) =>
    app.changesBy(
      async () => (await licenses.transfer(app.ctx, id, input as licenses.TransferInput)).license,
    );

  it('puts the machines out as those of the old customer, and makes the new customer', async () => {
    const { id, key } = await app.license({ maxActivations: 2, type: 'FLOATING' });
    for (const machineId of ['machine-0001', 'machine-0002'])
      await activate(app.ctx, { licenseKey: key, machineId });
    const { result, changes } = await transfer(id, { customerEmail: '  Bob@X.test ' });
    expect(result).toMatchObject({ activationsUsed: 0, customer: { email: 'Bob@X.test' } });
    const twice = (type: string) => [type, type];
    expect(changes).toEqual({
      events: [
        'CUSTOMER_CREATED',
        ...twice('LICENSE_DEACTIVATED'),
        'LICENSE_TRANSFERRED',
        ...twice('SEAT_CHECKED_IN'),
      ],
      rows: { licenses: '~1', license_customers: '+1', license_activations: '~2' },
    });
    const told = (await app.eventsOf(id)).filter(({ type }) => type === 'LICENSE_DEACTIVATED');
    const machines = told.map(({ data }) => (data.details as { machineId: string }).machineId);
    expect(machines.sort()).toEqual(['machine-0001', 'machine-0002']);
    for (const { data } of told) expect(data).toMatchObject({ details: { reason: 'ADMIN' } });
    for (const { data } of told) expect(data.customerId).not.toBe(result.customer.id);
    const rows = app.instance.database.db.knex('license_activations').where({ license_id: id });
    expect(await rows.pluck('end_reason')).toEqual(['TRANSFER', 'TRANSFER']);
  });

  it('keepActivations leaves the machines; the same customer again changes nothing', async () => {
    const { id, key } = await app.license();
    await activate(app.ctx, { licenseKey: key, machineId: 'machine-0001' });
    const carl = await customers.create(app.ctx, { email: 'carl@x.test' });
    const { result, changes } = await transfer(id, { customerId: carl.id, keepActivations: true });
    expect([result.customer.id, result.activationsUsed]).toEqual([carl.id, 1]);
    expect(changes).toEqual({ events: ['LICENSE_TRANSFERRED'], rows: { licenses: '~1' } });
    expect((await transfer(id, { customerEmail: 'CARL@x.test' })).changes).toEqual(nothing);
  });

  it('refuses none or both ways to name the customer, unknown ones and unknown fields', async () => {
    const { id } = await app.license();
    const to = (input: object) => () => licenses.transfer(app.ctx, id, input as licenses.TransferInput);
    await refused(to({}), 'VALIDATION_ERROR');
    await refused(to({ customerId: 'cus_x', customerEmail: 'a@x.test' }), 'VALIDATION_ERROR');
    await refused(to({ customerEmail: 'nobody' }), 'VALIDATION_ERROR');
    await refused(to({ customerEmail: 'a@x.test', keep: true }), 'VALIDATION_ERROR');
    await refused(to({ customerId: 'cus_nope' }), 'NOT_FOUND');
    const erased = await customers.create(app.ctx, { email: 'erased@x.test' });
    await customers.erase(app.ctx, erased.id);
    await refused(to({ customerId: erased.id }), 'CONFLICT');
    const other = await app.otherTenant();
    await refused(() => licenses.transfer(other, id, { customerEmail: 'ann@x.test' }), 'NOT_FOUND');
  });
});

describe('clear', () => {
  it('ends all machines and tells each; without any it tells nothing', async () => {
    const { id, key } = await app.license({ maxActivations: 3 });
    for (const machineId of ['machine-0001', 'machine-0002'])
      await activate(app.ctx, { licenseKey: key, machineId });
    const { result, changes } = await app.changesBy(() => clear(app.ctx, id));
    expect(result.map(({ machineId }) => machineId)).toEqual(['machine-0001', 'machine-0002']);
    expect(changes).toEqual({
      events: ['LICENSE_DEACTIVATED', 'LICENSE_DEACTIVATED'],
      rows: { license_activations: '~2' },
    });
    expect((await app.changesBy(() => clear(app.ctx, id))).changes).toEqual(nothing);
    await refused(() => clear(app.ctx, 'lic_nope'), 'NOT_FOUND');
  });

  it('gives all seats back at once; a lease that ran out is told as what it was (D62, D75)', async () => {
    const { id, key } = await app.license({ type: 'FLOATING', maxActivations: 3 });
    await activate(app.ctx, { licenseKey: key, machineId: 'machine-0001' });
    app.clock.advance(1800);
    for (const machineId of ['machine-0002', 'machine-0003'])
      await activate(app.ctx, { licenseKey: key, machineId });
    app.clock.advance(1800);
    const { result, changes } = await app.changesBy(() => clear(app.ctx, id));
    expect(result.map(({ machineId }) => machineId)).toEqual(['machine-0002', 'machine-0003']);
    expect(changes.events).toEqual([
      'LEASE_EXPIRED',
      ...['LICENSE_DEACTIVATED', 'LICENSE_DEACTIVATED'],
      ...['SEAT_CHECKED_IN', 'SEAT_CHECKED_IN'],
    ]);
    const told = (await app.eventsOf(id)).filter(({ type }) => type === 'SEAT_CHECKED_IN');
    for (const { data } of told) expect(data.details).toMatchObject({ seatsUsed: 0, seatsTotal: 3 });
  });
});
