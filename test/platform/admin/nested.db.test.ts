// Items whose path names the collection that they are in: under the name of another collection, nothing is shown of them
// and nothing is done with them (admin.md 1), whatever the operation.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { samples } from '../../contract/staff/index.ts';
import { type MadeKey, startApp, type TestApp } from '../../support/app.ts';
import { filled, type Made } from '../../support/resource-sample.ts';
import { LOOPBACK_PINS } from '../../support/webhooks.ts';

let app: TestApp;
let everywhere: MadeKey;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
});
afterAll(() => app.close());

const nested = samples.flatMap((sample) => {
  const twin = sample.resource.spec.apis.find(({ surface }) => surface === 'license-admin');
  if (!twin?.parent || twin.itemsAt !== undefined) return [];
  const key = twin.key ?? 'id';
  const { parent } = twin;
  const endpoints = sample.resource.endpoints('license-admin');
  return endpoints.map((one) => [nameOf(one), { sample, parent, key, one }] as const);
});

function nameOf({ method, path }: Endpoint): string {
  return `${method.toUpperCase()} ${path.replace('/api/v1/admin', '')}`;
}

it('there are some', () => expect(nested.length).toBeGreaterThan(5));

/** Calls an operation about `made`, with other names in its path. */
function calling([name, { sample, one }]: (typeof nested)[number], names: Made, made: Made) {
  const body = one.body && sample.bodies[name]?.(made);
  return app.admin(filled(one.path, names), everywhere, { method: one.method.toUpperCase(), body });
}

/** What was made, in a collection of another name; the name of an item is not touched where both are called alike. */
const within = (made: Made, parent: string, name: string): Made => {
  const own = Object.keys(made).find((one) => one.endsWith(`/${parent}`));
  return { ...made, [own ?? parent]: name };
};

const ofItems = nested.filter(
  ([, { one, key, parent }]) => key !== parent.name && one.path.includes(`{${key}}`),
);

it.each(ofItems)('%s knows no item of another collection', async (...operation) => {
  const [name, { sample, parent }] = operation;
  const [made, other] = [await sample.make(app.ctx, name), await sample.make(app.ctx, name)];
  const names = within(made, parent.name, String(other[parent.name]));
  const { result, changes } = await app.changesBy(() => calling(operation, names, made));
  expect([result.status, result.body.error?.code, changes.rows]).toEqual([404, 'NOT_FOUND', {}]);
  expect((await calling(operation, made, made)).status).toBeLessThan(300);
});

it.each(nested)('%s knows no collection that is not there', async (...operation) => {
  const [name, { sample, parent }] = operation;
  const made = await sample.make(app.ctx, name);
  const names = within(made, parent.name, 'nobody');
  const { result, changes } = await app.changesBy(() => calling(operation, names, made));
  expect([result.status, result.body.error?.code, changes.rows]).toEqual([404, 'NOT_FOUND', {}]);
});
