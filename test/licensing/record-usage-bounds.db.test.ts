// The fields of POST /api/v1/license/record-usage at both edges of their bounds, and with what they must refuse
// (the spec's field table; D4 to D6, D10, D51, D80).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

const path = '/api/v1/license/record-usage';
const json = { 'Content-Type': 'application/json' };
let app: TestApp;
let key: string;
let licenseKey: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
  licenseKey = (await app.license()).key;
});
afterAll(() => app.close());

const long = (length: number) => 'x'.repeat(length);
const faces = (length: number) => '\u{1F600}'.repeat(length);
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

const post = (body: object) =>
  app.changesBy(() => app.post(path, { key: licenseKey, feature: 'export', ...body }, key));

async function accepted(body: object) {
  const { result, changes } = await post(body);
  expect([result.status, changes]).toEqual([
    200,
    { events: ['USAGE_RECORDED'], rows: { license_usage: '+1', licenses: '~1' } },
  ]);
}

async function refused(body: object, code: string, status = 400) {
  const { result, changes } = await post(body);
  expect([result.status, result.body.error?.code, changes]).toEqual([status, code, nothing]);
  return result.body.error;
}

/** Sends what must be refused, and holds that the field is named. */
async function faulty(body: object, field: string) {
  const error = await refused(body, 'VALIDATION_ERROR');
  expect(String(error?.details?.issues?.[0]?.path)).toMatch(new RegExp(`^${field}(\\.|$)`));
}

it('quantity: a whole number from 1 to 10,000', async () => {
  for (const quantity of [1, 10_000, null]) await accepted({ quantity });
  for (const quantity of [0, -1, 1.5, '5', 10_001, true, [], {}, 1e300]) {
    await faulty({ quantity }, 'quantity');
  }
});

it('feature: 1 to 100 characters, counted in code points (D10)', async () => {
  for (const feature of [long(1), long(100), faces(100), ' ', '__proto__']) await accepted({ feature });
  for (const feature of ['', long(101), faces(101), 5, null, {}]) {
    await faulty({ feature }, 'feature');
  }
  for (const feature of ['a\0b', '\ud800']) await faulty({ feature }, '');
  await faulty({ feature: undefined }, 'feature');
});

it('metadata: at most 20 keys of 1 to 100 characters with values of at most 1000 (D51)', async () => {
  for (const metadata of [
    null,
    {},
    keys(20),
    { [long(100)]: long(1000) },
    { [faces(100)]: faces(1000) },
    { a: [1, { b: null }] },
  ])
    await accepted({ metadata });
  for (const metadata of [keys(21), { [long(101)]: 1 }, { '': 1 }, { a: long(1001) }, [], 'text', 5])
    await faulty({ metadata }, 'metadata');
});

it('metadata: __proto__ is a key like any other', async () => {
  const { id, key: own } = await app.license();
  const body = `{"key":"${own}","feature":"export","metadata":{"__proto__":{"polluted":true}}}`;
  const reply = await app.send(path, { key, body, headers: json });
  expect(reply.status).toBe(200);
  const event = (await app.eventsOf(id)).find(({ type }) => type === 'USAGE_RECORDED');
  expect(JSON.stringify(event?.data.details)).toContain('"metadata":{"__proto__":{"polluted":true}}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

it('key: 10 to 100 characters', async () => {
  for (const faultyKey of [long(9), long(101), 5, null]) await faulty({ key: faultyKey }, 'key');
  await refused({ key: long(10) }, 'NOT_FOUND', 404);
  await refused({ key: long(100) }, 'NOT_FOUND', 404);
});

it('unknown fields are ignored (D5), a body that is none is refused', async () => {
  await accepted({ somethingElse: 1 });
  for (const body of ['[]', '"text"', '{', 'null']) {
    const { result, changes } = await app.changesBy(() => app.send(path, { key, body, headers: json }));
    expect([result.status, result.body.error?.code, changes]).toEqual([400, 'VALIDATION_ERROR', nothing]);
  }
});
