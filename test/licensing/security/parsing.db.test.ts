// Bodies that are no acceptable JSON: 400 or 413 in the envelope, nothing stored, never a 500 (D4; A001 to A013).
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { nothing } from '../../support/database-changes.ts';
import type { Answer, Sent } from '../../support/http-client.ts';

const path = '/api/v1/license/activate';
const machineId = 'machine-0001';
let app: TestApp;
let key: string;
let licenseKey: string;
let productId: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('FULL_ADMIN')).secret;
  productId = (await app.product()).id;
  licenseKey = (await app.license({ productId, maxActivations: 1000 })).key;
});
afterAll(() => app.close());

const json = { 'Content-Type': 'application/json' };
const send = (sent: Sent, to = path) =>
  app.changesBy(() => app.send(to, { method: 'POST', key, ...sent, headers: { ...json, ...sent.headers } }));

/** Sends something that must be refused and leave no trace; answers with the message of the refusal. */
async function refused(sent: Sent, status = 400, to = path): Promise<string> {
  const { result, changes } = await send(sent, to);
  expect(changes).toEqual(nothing);
  expect([result.status, result.body.success, result.body.error?.code]).toEqual([
    status,
    false,
    'VALIDATION_ERROR',
  ]);
  expect(result.headers['content-type']).toBe('application/json; charset=utf-8');
  return String(result.body.error?.message);
}

const good = () => JSON.stringify({ licenseKey, machineId });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('what is not a JSON object', () => {
  it.each([
    ['{"licenseKey":', /not valid JSON/],
    ['{"a":1}}', /not valid JSON/],
    ["{'a':1}", /not valid JSON/],
    ['{"a":NaN}', /not valid JSON/],
    ['{"a":1,}', /not valid JSON/],
    ['\uFEFF{"a":1}', /not valid JSON/],
    ['[]', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['"text"', /must be a JSON object/],
    ['5', /must be a JSON object/],
    ['true', /must be a JSON object/],
    ['', /a JSON body is required/],
    [' ', /not valid JSON/],
  ])('%j', async (body, message) => {
    expect(await refused({ body })).toMatch(message);
  });
});

describe('content type', () => {
  it.each([
    ['text/plain'],
    [''],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonx'],
    ['application/json-patch+json'],
    ['text/json'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=iso-8859-1'],
  ])('%j is refused', async (type) => {
    await refused({ body: good(), headers: { 'Content-Type': type } });
  });

  it('is demanded', async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: ${good().length}\r\n\r\n`;
    const { status, text } = await app.raw(head + good());
    expect(status).toBe(400);
    expect(text).toContain('"code":"VALIDATION_ERROR"');
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
    '%j is read',
    async (type) => {
      const { result } = await send({ body: good(), headers: { 'Content-Type': type } });
      expect(result.status).toBe(200);
    },
  );
});

describe('characters', () => {
  const name = (bytes: number[]) =>
    Buffer.concat([
      Buffer.from(`{"licenseKey":"${licenseKey}","machineId":"${machineId}-x","machineName":"`),
      Buffer.from(bytes),
      Buffer.from('"}'),
    ]);

  it.each([
    ['overlong slash', [0xc0, 0xaf]],
    ['UTF-16 mark', [0xff, 0xfe]],
    ['cut sequence', [0xe2, 0x82]],
    ['surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
  ])('invalid UTF-8 is refused, not replaced: %s', async (_what, bytes) => {
    expect(await refused({ body: name(bytes) })).toMatch(/UTF-8/);
  });

  it.each([
    ['U+0000 in a value', { machineName: '\\u0000' }],
    ['U+0000 in a name', { 'a\\u0000': 1 }],
    ['U+0000 in a field that nobody reads', { other: ['\\u0000'] }],
    ['lone surrogate', { machineName: '\\ud800' }],
    ['reversed pair', { machineName: '\\udc00\\ud800' }],
    ['lone surrogate in a name', { '\\ud800': 1 }],
  ])('%s is refused', async (_what, more) => {
    const text = JSON.stringify({ licenseKey, machineId, ...more }).replaceAll('\\\\u', '\\u');
    await refused({ body: text });
  });

  it('a surrogate pair, a raw control character and any script are taken', async () => {
    const machineName = '\u{1F600} \u0001 \u05d0\u202e \u0130';
    const { result } = await send({ body: { licenseKey, machineId: `${machineId}-pair`, machineName } });
    expect(result.body.activation?.machineName).toBe(machineName);
  });
});

describe('size and depth', () => {
  it('32 levels are read and 33 refused', async () => {
    const withField = (depth: number) => `${good().slice(0, -1)},"more":${nested(depth)}}`;
    expect((await send({ body: withField(31) })).result.status).toBe(200);
    expect(await refused({ body: withField(32) })).toMatch(/deeper than 32/);
  });

  it('40,000 nested arrays cost nothing but a refusal (A007)', async () => {
    const body = `{"productId":"${productId}","customerEmail":"a@x.test","metadata":{"a":${nested(40_000)}}}`;
    await refused({ body }, 400, '/api/v1/license/create');
  });

  it('a body of 512 KiB is read and one byte more answers 413', async () => {
    const filled = (size: number) => {
      const start = `${good().slice(0, -1)},"more":"`;
      return `${start}${'x'.repeat(size - start.length - 2)}"}`;
    };
    expect((await send({ body: filled(512 * 1024) })).result.status).toBe(200);
    await refused({ body: filled(512 * 1024 + 1) }, 413);
  });

  it('create-bulk reads 8 MiB and answers 413 to more', async () => {
    const filled = (size: number) => {
      const start = '{"licenses":[],"more":"';
      return `${start}${'x'.repeat(size - start.length - 2)}"}`;
    };
    const to = '/api/v1/license/create-bulk';
    expect(await refused({ body: filled(8 * 1024 * 1024) }, 400, to)).toMatch(/at least 1 item/);
    await refused({ body: filled(8 * 1024 * 1024 + 1) }, 413, to);
  });

  it('a small gzip body that inflates to 50 MB answers 413 without being held (A005)', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    await refused({ body: bomb, headers: { 'Content-Encoding': 'gzip' } }, 413);
  });

  it('a gzip body of a legal size is read', async () => {
    const { result } = await send({ body: gzipSync(good()), headers: { 'Content-Encoding': 'gzip' } });
    expect(result.status).toBe(200);
  });

  it.each([
    ['no such encoding', 'x-unknown'],
    ['a broken stream', 'gzip'],
    ['another broken stream', 'deflate'],
  ])('%s is refused', async (_what, encoding) => {
    await refused({ body: good(), headers: { 'Content-Encoding': encoding } });
  });
});

describe('types', () => {
  it.each([['5'], [true], [[5]], [5.5], [0], [1001], ['too large'], [{}], ['']])(
    'maxActivations %j is refused (A011)',
    async (maxActivations) => {
      const body = { productId, customerEmail: 'a@x.test', maxActivations };
      const text = JSON.stringify(body).replace('"too large"', '1e400');
      expect(await refused({ body: text }, 400, '/api/v1/license/create')).toMatch(/^maxActivations /);
    },
  );

  it('of two equal names the last one counts', async () => {
    const body = `{"machineId":5,"licenseKey":"${licenseKey}","machineId":"${machineId}"}`;
    expect((await send({ body })).result.status).toBe(200);
  });
});

it('__proto__ and constructor are names like any other (A009)', async () => {
  const body = `{"productId":"${productId}","customerEmail":"p@x.test","__proto__":{"isAdmin":true},
    "constructor":{"prototype":{"isAdmin":true}},"metadata":{"__proto__":"kept","constructor":"too"}}`;
  const { result, changes } = await send({ body }, '/api/v1/license/create');
  expect(result.status).toBe(201);
  expect(changes).toEqual({
    events: ['CUSTOMER_CREATED', 'LICENSE_CREATED'],
    rows: { license_customers: '+1', license_keys: '+1', licenses: '+1' },
  });
  expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  const { knex } = app.instance.database.db;
  const row = await knex('licenses')
    .where({ id: String(result.body.license?.id) })
    .first('metadata');
  expect(JSON.stringify(row)).toContain('__proto__');
  const after = (await send({ body: good() })).result.body as Answer;
  expect(Object.keys(after)).not.toContain('isAdmin');
});
