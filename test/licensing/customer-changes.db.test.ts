// Staff change, merge and erase customers (licensing 4.2).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineEvents, event } from '#kernel/events.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

const missed = defineEvents('license', {
  HEARTBEAT_MISSED: event<{ details: { machineId: string; customerEmail: string } }>(),
});

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

let made = 0;
const customer = (more: Partial<customers.CustomerCreateInput> = {}) => {
  made += 1;
  return customers.create(app.ctx, { email: `c${made}@x.test`, ...more });
};
const ownerOf = async (id: string) => (await licenses.get(app.ctx, id)).customer.id;

describe('update', () => {
  it('changes what is sent and leaves the rest', async () => {
    const { id } = await customer({ name: 'Ann', metadata: { a: '1' } });
    const after = await customers.update(app.ctx, id, { email: ' New@X.test ' });
    expect(after).toMatchObject({ id, email: 'New@X.test', name: 'Ann', metadata: { a: '1' } });
    expect(await customers.get(app.ctx, 'new@x.TEST')).toEqual(after);
    expect((await customers.update(app.ctx, id, { name: null, metadata: {} })).name).toBeNull();
    expect(await app.eventsOf(id)).toContainEqual({ type: 'CUSTOMER_UPDATED', data: { fields: ['email'] } });
  });

  it('a blank name is none, and a later order fills it (D50)', async () => {
    const { id, email } = await customer({ name: 'Ann' });
    expect((await customers.update(app.ctx, id, { name: '  ' })).name).toBeNull();
    expect(await customers.reuse(app.ctx, { email, name: 'Bob' })).toMatchObject({ id, name: 'Bob' });
  });

  it('the same again is no event', async () => {
    const { id } = await customer({ name: 'Ann' });
    await customers.update(app.ctx, id, { name: 'Ann' });
    expect((await app.eventsOf(id)).map(({ type }) => type)).toEqual(['CUSTOMER_CREATED']);
  });

  it('refuses an address of another, no address, unknown fields, unknown customers', async () => {
    const [one, two] = [await customer(), await customer()];
    const taken = await refusalOf(customers.update(app.ctx, one.id, { email: two.email.toUpperCase() }));
    expect(taken).toMatchObject({ code: 'CONFLICT', details: { reason: 'DUPLICATE' } });
    expect(await faultsOf(customers.update(app.ctx, one.id, { email: 'none' }))).toEqual(['email']);
    expect(await faultsOf(customers.update(app.ctx, one.id, { phone: '1' } as never))).toEqual(['']);
    expect(await codeOf(customers.update(app.ctx, 'nobody@x.test', { name: 'N' }))).toBe('NOT_FOUND');
    const other = await app.otherTenant();
    expect(await codeOf(customers.update(other, one.id, { name: 'N' }))).toBe('NOT_FOUND');
  });
});

describe('merge', () => {
  it('gives the licenses to the other and removes the first', async () => {
    const [from, into] = [await customer(), await customer()];
    const { id } = await app.license({ customerEmail: from.email });
    const outcome = await licenses.mergeCustomers(app.ctx, from.id, into.email);
    expect(outcome).toEqual({ customer: into, licenses: 1 });
    expect(await ownerOf(id)).toBe(into.id);
    expect(await codeOf(customers.get(app.ctx, from.id))).toBe('NOT_FOUND');
  });

  it('gives the trials to the other too: the same person has no second one (D70)', async () => {
    const policy = await app.policy({ trialReuse: 'BLOCK' });
    const { id: productId } = await app.product({ policyId: policy.id });
    const [from, into] = [await customer(), await customer()];
    const trial = (customerEmail: string) => app.license({ productId, customerEmail, type: 'TRIAL' });
    const first = await trial(from.email);
    await machines.activate(app.ctx, { licenseKey: first.key, machineId: 'machine-0001' });
    await licenses.mergeCustomers(app.ctx, from.id, into.id);
    const second = await trial(into.email);
    const again = machines.activate(app.ctx, { licenseKey: second.key, machineId: 'machine-0002' });
    expect((await refusalOf(again)).details.reason).toBe('TRIAL_REUSE');
  });

  it('refuses one with itself, and an erased target', async () => {
    const [from, into] = [await customer(), await customer()];
    expect(await codeOf(licenses.mergeCustomers(app.ctx, from.id, from.email))).toBe('CONFLICT');
    await customers.erase(app.ctx, into.id);
    expect(await codeOf(licenses.mergeCustomers(app.ctx, from.id, into.id))).toBe('CONFLICT');
  });

  it('two opposite merges at once leave one customer with all licenses', async () => {
    const [a, b] = [await customer(), await customer()];
    const held = await Promise.all([a, b].map(({ email }) => app.license({ customerEmail: email })));
    const done = await Promise.allSettled([
      licenses.mergeCustomers(app.ctx, a.id, b.id),
      licenses.mergeCustomers(app.ctx, b.id, a.id),
    ]);
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [first, second] = await Promise.all(held.map(({ id }) => ownerOf(id)));
    expect(first).toBe(second);
  });
});

describe('erase', () => {
  it('leaves no address: not in the row, not in the timeline', async () => {
    const policy = await app.policy({ heartbeatInterval: 1, heartbeatCullStrategy: 'NO_ACTION' });
    const { id: productId } = await app.product({ policyId: policy.id });
    const { email, id } = await customer({ name: 'Ann Erased', metadata: { phone: '123' } });
    const license = await app.license({ customerEmail: email, productId });
    await app.ctx.tx((ctx) =>
      missed.tell(ctx, 'HEARTBEAT_MISSED', license.id, {
        details: { machineId: 'machine-0001', customerEmail: email },
      }),
    );
    const report = await customers.erase(app.ctx, id);
    expect(report).toMatchObject({
      licenses: 1,
      events: 1,
      customer: { email: `anon-${id}@invalid`, name: null },
    });
    const rows = await app.instance.database.db.knex('events').where({ subject: license.id });
    expect(JSON.stringify(rows)).not.toContain(email);
    expect(JSON.stringify(rows)).toContain('machine-0001');
    expect((await licenses.get(app.ctx, license.id)).customer.email).toBe(`anon-${id}@invalid`);
    expect(await customers.erase(app.ctx, id)).toMatchObject({ events: 0, customer: report.customer });
    expect(await codeOf(customers.update(app.ctx, id, { name: 'Back' }))).toBe('CONFLICT');
  });
});
