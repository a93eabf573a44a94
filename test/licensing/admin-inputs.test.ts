import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuesOf } from '#kernel/http/fields.ts';
import { CustomerCreate, normalEmail } from '#licensing/catalog/customers/schemas.ts';
import { PolicyCreate, PolicyUpdate } from '#licensing/catalog/policies/schemas.ts';
import {
  ProductCreate,
  ProductPublic,
  ProductsReply,
  ProductUpdate,
} from '#licensing/catalog/products/schemas.ts';
import {
  AdminCreateBody,
  BulkResult,
  CreateBody,
  CreateBulkBody,
  CreateBulkReply,
  CreateReply,
} from '#licensing/licenses/licenses/schemas.ts';
import { ActivateBody, ActivateReply, DeactivateBody } from '#licensing/licenses/machines/schemas.ts';
import {
  CheckParams,
  CheckQuery,
  CheckReply,
  ValidateBody,
  ValidateReply,
} from '#licensing/licenses/validation/schemas.ts';
import { ListQuery } from '../../src/kernel/service/pagination.ts';

const ok = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const paths = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value);
  return result.success ? [] : issuesOf(result.error.issues).map((issue) => issue.path);
};
const long = (length: number) => 'x'.repeat(length);

describe('lists', () => {
  it.each([
    [{}, { page: 1, limit: 50 }],
    [
      { page: '3', limit: '500' },
      { page: 3, limit: 500 },
    ],
    [{ page: '0' }, null],
    [{ limit: '0' }, null],
    [{ limit: '501' }, null],
    [{ page: ['1', '2'] }, null],
    [{ page: '' }, null],
  ])('%j reads as %j', (query, read) => {
    const result = ListQuery.safeParse(query);
    expect(result.success ? result.data : null).toEqual(read);
  });
});

describe('products', () => {
  const product = { name: 'Editor', slug: 'editor' };

  it.each([
    [{}, []],
    [{ slug: 'photo-editor-2' }, []],
    [{ slug: long(63) }, []],
    [{ slug: long(64) }, ['slug']],
    [{ slug: '' }, ['slug']],
    [{ slug: 'Editor' }, ['slug']],
    [{ slug: '-editor' }, ['slug']],
    [{ slug: 'editor-' }, ['slug']],
    [{ slug: 'photo--editor' }, ['slug']],
    [{ slug: 'édi' }, ['slug']],
    [{ name: long(255) }, []],
    [{ name: long(256) }, ['name']],
    [{ name: '' }, ['name']],
    [{ type: 'WEB', status: 'DEPRECATED', licensingMode: 'HONOR_SYSTEM' }, []],
    [{ type: 'GAME' }, ['type']],
    [{ defaultMaxActivations: 0 }, ['defaultMaxActivations']],
    [{ defaultMaxActivations: 1000 }, []],
    [{ defaultDurationDays: 0 }, ['defaultDurationDays']],
    [{ defaultDurationDays: 1 }, []],
    [{ defaultDurationDays: 3661 }, ['defaultDurationDays']],
    [{ licenseType: 'BETA' }, ['']],
  ])('%j has faults at %j', (change, at) => {
    expect(paths(ProductCreate, { ...product, ...change })).toEqual(at);
  });

  it('a change may clear what may be empty, and nothing else', () => {
    expect(ProductUpdate.parse({ policyId: null, defaultDurationDays: null })).toEqual({
      policyId: null,
      defaultDurationDays: null,
    });
    expect(ProductUpdate.parse({})).toEqual({});
    expect(paths(ProductUpdate, { name: null })).toEqual(['name']);
  });
});

describe('policies and customers', () => {
  it.each([
    [{}, []],
    [{ heartbeatInterval: 0 }, ['heartbeatInterval']],
    [{ heartbeatInterval: 43_200 }, []],
    [{ heartbeatInterval: 43_201 }, ['heartbeatInterval']],
    [{ heartbeatCullStrategy: 'NO_ACTION' }, []],
    [{ heartbeatCullStrategy: 'NO_ACTIONS' }, ['heartbeatCullStrategy']],
    [{ defaultLeaseDuration: 59 }, ['defaultLeaseDuration']],
    [{ defaultLeaseDuration: 60 }, []],
    [{ defaultLeaseDuration: 2_592_000 }, []],
    [{ defaultLeaseDuration: 2_592_001 }, ['defaultLeaseDuration']],
    [{ gracePeriodSeconds: 31_536_001 }, ['gracePeriodSeconds']],
    [{ offlineMaxTtlSeconds: 0 }, []],
    [{ offlineMaxTtlSeconds: 34_560_001 }, ['offlineMaxTtlSeconds']],
    [{ maxUses: 0 }, []],
    [{ trialReuse: 'BLOCK', abuseAction: 'SUSPEND' }, []],
    [{ trialReuse: 'block' }, ['trialReuse']],
    [{ maxDeactivations: 3 }, ['deactivationWindowDays']],
    [{ deactivationWindowDays: 3 }, ['maxDeactivations']],
    [{ maxDeactivations: 3, deactivationWindowDays: 30 }, []],
    [{ maxDeactivations: null, deactivationWindowDays: null }, []],
    [{ entitlements: { pro: true } }, []],
    [{ entitlement: { pro: true } }, ['']],
  ])('the policy %j has faults at %j', (change, at) => {
    expect(paths(PolicyCreate, { name: 'office', ...change })).toEqual(at);
  });

  it('a change of a policy may clear its limits', () => {
    expect(PolicyUpdate.parse({ maxUses: null, entitlements: null })).toEqual({
      maxUses: null,
      entitlements: null,
    });
    expect(paths(PolicyUpdate, { gracePeriodSeconds: null })).toEqual(['gracePeriodSeconds']);
  });

  it('a customer has an address', () => {
    expect(CustomerCreate.parse({ email: ' Ann@Example.org ', name: null })).toEqual({
      email: 'Ann@Example.org',
    });
    expect(ok(CustomerCreate, { email: 'ann@example.org', mail: 1 })).toBe(false);
    expect(normalEmail(' Ann@Example.ORG ')).toBe('ann@example.org');
  });
});

describe('the document', () => {
  const inputs = {
    ActivateBody,
    DeactivateBody,
    ValidateBody,
    CreateBody,
    CreateBulkBody,
    CheckParams,
    CheckQuery,
  };
  const admin = {
    ListQuery,
    AdminCreateBody,
    ProductCreate,
    ProductUpdate,
    PolicyCreate,
    PolicyUpdate,
    CustomerCreate,
  };
  const replies = {
    ActivateReply,
    ValidateReply,
    CheckReply,
    CreateReply,
    CreateBulkReply,
    BulkResult,
    ProductPublic,
  };

  it.each(Object.entries({ ...inputs, ...admin, ...replies, ProductsReply }))(
    'can show %s both ways',
    (_name, schema) => {
      for (const io of ['input', 'output'] as const) {
        const text = JSON.stringify(z.toJSONSchema(schema, { target: 'openapi-3.0', io }));
        expect(JSON.parse(text)).not.toEqual({});
      }
    },
  );
});
