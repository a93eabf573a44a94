import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuesOf } from '#kernel/http/fields.ts';
import { schemaComponents } from '#kernel/http/openapi-components.ts';
import { IdempotencyHeaders, keyedBody } from '#licensing/contract/fields.ts';
import {
  AdminCreateBody,
  CreateBody,
  CreateBulkBody,
  CreateItem,
} from '#licensing/licenses/licenses/schemas.ts';
import { ActivateBody, DeactivateBody } from '#licensing/licenses/machines/schemas.ts';
import { CheckParams, CheckQuery, ValidateBody } from '#licensing/licenses/validation/schemas.ts';

const KEY = 'APP-7F3K-9QRS-1234-ABCD';
const MACHINE = 'machine-0001';
const ok = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const paths = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value);
  return result.success ? [] : issuesOf(result.error.issues).map((issue) => issue.path);
};
const long = (length: number) => 'x'.repeat(length);

/** A body as the OpenAPI document shows it: under its name where it has one. */
function document(body: z.ZodType): { required: string[]; properties: Record<string, unknown> } {
  const components = schemaComponents({});
  const { $ref, ...own } = components.schemaOf(body, 'input') as { $ref?: string };
  const shown = $ref === undefined ? own : components.all()[$ref.split('/').at(-1) ?? ''];
  return shown as ReturnType<typeof document>;
}

describe('the license key in a body', () => {
  const Body = keyedBody('key', { machineId: z.string() });

  it.each([
    [{ licenseKey: KEY }, KEY],
    [{ key: KEY }, KEY],
    [{ licenseKey: KEY, key: KEY }, KEY],
    [{ licenseKey: KEY, key: ` ${KEY.toLowerCase()} ` }, KEY],
    [{ licenseKey: null, key: KEY }, KEY],
    [{ licenseKey: ` ${KEY}\n` }, KEY],
    [{ licenseKey: KEY, key: 'APP-0000-0000-0000-0000' }, null],
    [{ licenseKey: null, key: null }, null],
    [{}, null],
    [{ licenseKey: 5 }, null],
    [{ licenseKey: KEY, key: 5 }, null],
    [{ licenseKey: '123456789' }, null],
    [{ licenseKey: ' 123456789 ' }, null],
    [{ licenseKey: '1234567890' }, '1234567890'],
    [{ licenseKey: long(100) }, long(100)],
    [{ licenseKey: long(101) }, null],
    [{ licenseKey: 'not a key at all!' }, 'not a key at all!'],
    [{ licenseKey: `${KEY}\0` }, null],
  ])('%j names %j', (names, key) => {
    const result = Body.safeParse({ ...names, machineId: MACHINE });
    expect(result.success ? result.data : null).toEqual(key && { licenseKey: key, machineId: MACHINE });
  });

  it('reports a missing key beside other faults, under the name of the endpoint', () => {
    expect(paths(Body, {})).toEqual(['machineId', 'key']);
    expect(paths(ValidateBody, {})).toEqual(['machineId', 'licenseKey']);
    expect(paths(Body, { licenseKey: KEY, key: `${KEY}X`, machineId: MACHINE })).toEqual(['key']);
  });

  it('is demanded under the name of the endpoint in the document', () => {
    expect(document(Body).required).toEqual(['key', 'machineId']);
    expect(document(ActivateBody).required).toEqual(['licenseKey', 'machineId']);
    expect(document(ActivateBody).properties.licenseKey).toMatchObject({ minLength: 10, maxLength: 100 });
  });

  it.each([null, [], 'text', 5, undefined])('a body that is %j is refused', (body) => {
    expect(paths(Body, body)).toEqual(['']);
  });

  it('is not read from a prototype', () => {
    expect(paths(Body, JSON.parse(`{"__proto__":{"key":"${KEY}"},"machineId":"${MACHINE}"}`))).toEqual([
      'key',
    ]);
  });
});

describe('bounds of activate, validate and deactivate', () => {
  const body = { licenseKey: KEY, machineId: MACHINE };

  it.each([
    ['machineId', 8, 255],
    ['machineName', 0, 255],
    ['osName', 0, 100],
    ['osVersion', 0, 100],
    ['appVersion', 0, 50],
    ['nonce', 16, 64],
  ])('%s has %i to %i characters', (field, min, max) => {
    expect(ok(ActivateBody, { ...body, [field]: long(min) })).toBe(true);
    expect(ok(ActivateBody, { ...body, [field]: long(max) })).toBe(true);
    expect(paths(ActivateBody, { ...body, [field]: long(max + 1) })).toEqual([field]);
    if (min > 0) expect(paths(ActivateBody, { ...body, [field]: long(min - 1) })).toEqual([field]);
    expect(paths(ActivateBody, { ...body, [field]: 5 })).toEqual([field]);
  });

  it('ignore unknown fields and take null for absent', () => {
    expect(ValidateBody.parse({ ...body, later: 1, appVersion: null })).toEqual(body);
    expect(DeactivateBody.parse({ ...body, nonce: 5 })).toEqual(body);
    expect(paths(ValidateBody, { ...body, machineId: null })).toEqual(['machineId']);
  });

  it('a nonce has URL-safe characters', () => {
    expect(ok(ValidateBody, { ...body, nonce: 'abc_DEF-0123456789' })).toBe(true);
    expect(ok(ValidateBody, { ...body, nonce: 'abc+DEF/0123456789' })).toBe(false);
    expect(ok(CheckQuery, {})).toBe(true);
    expect(ok(CheckQuery, { nonce: ['0123456789abcdef', '0123456789abcdef'] })).toBe(false);
  });

  it('check takes any text as a key', () => {
    expect(CheckParams.parse({ key: '?' })).toEqual({ key: '?' });
  });
});

describe('create', () => {
  const body = { productId: 'editor', customerEmail: 'ann@example.org' };

  it.each([
    ['productId', 1, 30],
    ['customerName', 0, 255],
    ['orderId', 0, 255],
    ['notes', 0, 5000],
  ])('%s has %i to %i characters', (field, min, max) => {
    expect(ok(CreateBody, { ...body, [field]: long(min) })).toBe(true);
    expect(ok(CreateBody, { ...body, [field]: long(max) })).toBe(true);
    expect(paths(CreateBody, { ...body, [field]: long(max + 1) })).toEqual([field]);
  });

  it.each([
    ['maxActivations', 1, 1000],
    ['maxUses', 0, Number.MAX_SAFE_INTEGER],
    ['gracePeriodSeconds', 0, 31_536_000],
  ])('%s is a whole number from %i to %i', (field, min, max) => {
    expect(ok(CreateBody, { ...body, [field]: min })).toBe(true);
    expect(ok(CreateBody, { ...body, [field]: max })).toBe(true);
    expect(paths(CreateBody, { ...body, [field]: min - 1 })).toEqual([field]);
    expect(paths(CreateBody, { ...body, [field]: max + 1 })).toContain(field);
    expect(paths(CreateBody, { ...body, [field]: `${min}` })).toEqual([field]);
    expect(paths(CreateBody, { ...body, [field]: min + 0.5 })).toEqual([field]);
    expect(CreateBody.parse({ ...body, [field]: null })).toEqual(body);
  });

  it.each([
    [{ type: 'FLOATING' }, []],
    [{ type: 'floating' }, ['type']],
    [{ type: null }, []],
    [{ tier: 'ENTERPRISE' }, []],
    [{ tier: 'GOLD' }, ['tier']],
    [{ customerEmail: 'nobody' }, ['customerEmail']],
    [{ customerEmail: null }, ['customerEmail']],
    [{ productId: '' }, ['productId']],
    [{ validUntil: '2020-01-01T00:00:00Z' }, []],
    [{ validUntil: '2020-01-01' }, ['validUntil']],
    [{ validUntil: 1577836800000 }, ['validUntil']],
    [{ maxVersion: '2' }, []],
    [{ maxVersion: '2.4.1' }, []],
    [{ maxVersion: '2.x' }, ['maxVersion']],
    [{ maxVersion: 'v2' }, ['maxVersion']],
    [{ maxVersion: '1.2.3.4' }, ['maxVersion']],
    [{ maxVersion: '2.' }, ['maxVersion']],
    [{ maxVersion: '01' }, ['maxVersion']],
    [{ metadata: {} }, []],
    [{ metadata: [] }, ['metadata']],
    [{ metadata: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i])) }, []],
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, i])) }, ['metadata']],
    [{ metadata: { [long(100)]: 1 } }, []],
    [{ metadata: { [long(101)]: 1 } }, [`metadata.${long(101)}`]],
    [{ metadata: { a: long(1000) } }, []],
    [{ metadata: { a: long(1001) } }, ['metadata.a']],
    [{ features: { seats: 5, pro: true } }, []],
    [{ features: 'pro' }, ['features']],
    [{ unknown: 1 }, []],
  ])('%j has faults at %j', (change, at) => {
    expect(paths(CreateBody, { ...body, ...change })).toEqual(at);
  });

  it('tells an absent validUntil from null', () => {
    expect('validUntil' in CreateBody.parse(body)).toBe(false);
    expect(CreateBody.parse({ ...body, validUntil: null })).toEqual({ ...body, validUntil: null });
    expect(CreateBody.parse({ ...body, validUntil: '2030-01-01T02:00:00+02:00' }).validUntil).toBe(
      '2030-01-01T00:00:00.000Z',
    );
  });

  it('keeps __proto__ in metadata as a key', () => {
    const { metadata } = CreateBody.parse({ ...body, metadata: JSON.parse('{"__proto__":{"admin":true}}') });
    expect(Object.keys(metadata ?? {})).toEqual(['__proto__']);
    expect((metadata as { admin?: unknown }).admin).toBeUndefined();
  });

  it('in bulk judges the list and leaves the items for later', () => {
    expect(ok(CreateBulkBody, { licenses: [1] })).toBe(true);
    expect(ok(CreateBulkBody, { licenses: Array(20).fill({}) })).toBe(true);
    expect(paths(CreateBulkBody, { licenses: [] })).toEqual(['licenses']);
    expect(paths(CreateBulkBody, { licenses: Array(21).fill(body) })).toEqual(['licenses']);
    expect(paths(CreateBulkBody, { licenses: body })).toEqual(['licenses']);
    expect(paths(CreateBulkBody, {})).toEqual(['licenses']);
    expect(ok(CreateItem, 1)).toBe(false);
    expect(ok(CreateItem, body)).toBe(true);
  });

  it('in bulk shows its items in the document', () => {
    expect(document(CreateBulkBody).properties.licenses).toMatchObject({
      minItems: 1,
      maxItems: 20,
      items: { required: ['productId', 'customerEmail'] },
    });
  });

  it('by an admin is strict, and takes an own key and force', () => {
    expect(AdminCreateBody.parse({ ...body, key: ` ${KEY} `, force: true })).toEqual({
      ...body,
      key: KEY,
      force: true,
    });
    expect(ok(AdminCreateBody, { ...body, customer: 'typo' })).toBe(false);
    expect(ok(AdminCreateBody, { ...body, productId: long(63) })).toBe(true);
    expect(ok(AdminCreateBody, { ...body, productId: long(64) })).toBe(false);
  });

  it('has an idempotency key of at most 255 characters', () => {
    expect(ok(IdempotencyHeaders, { 'x-idempotency-key': long(255) })).toBe(true);
    expect(ok(IdempotencyHeaders, { 'x-idempotency-key': long(256) })).toBe(false);
  });
});
