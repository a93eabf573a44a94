// Each operation that takes an Idempotency-Key, sent twice with one: it is done once (reliability M5).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeKey, TestApp } from '../support/app.ts';
import { type AdminCaller, named, openAdminCaller, readsHeader } from './admin-caller.ts';
import { samples } from './staff/index.ts';

let app: TestApp;
let everywhere: MadeKey;
let ask: AdminCaller['ask'];
beforeAll(async () => {
  ({ app, ask } = await openAdminCaller());
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
});
afterAll(() => app.close());

const keyed = named.filter(([, { endpoint }]) => readsHeader(endpoint, 'idempotency-key'));
/** Know their keys in another way, which has tests of its own. */
const once = samples.flatMap(({ resource: { spec } }) =>
  spec.create?.isOnce ? [`POST ${spec.apis[0]?.path}`] : [],
);

it('every operation that makes an item takes one', () => {
  const creating = samples.flatMap(({ resource }) => {
    const [twin] = resource.spec.apis;
    const path = `POST ${twin?.path}`;
    return resource.spec.create && !twin?.without?.includes('create') ? [path] : [];
  });
  expect(creating.length).toBeGreaterThan(5);
  expect(creating.filter((name) => !keyed.some(([known]) => known === name))).toEqual([]);
});

describe('sent twice with the same key, it is done once:', () => {
  it.each(keyed.filter(([name]) => !once.includes(name)))('%s', async (name, one) => {
    const made = await one.make(app.ctx);
    const sent = { headers: { 'Idempotency-Key': name }, body: one.body(made) };
    const first = await ask(one, everywhere, made, sent);
    const { result: again, changes } = await app.changesBy(() => ask(one, everywhere, made, sent));
    expect([first.status < 300, again.status]).toEqual([true, first.status]);
    expect([changes.events, changes.rows]).toEqual([[], {}]);
  });
});
