import type { Ctx } from '#kernel/context.ts';
import { auditRecord } from '#platform/audit/record.ts';
import { auditResource } from '#platform/audit/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';
const VIAS = ['web', 'api', 'cli', 'job'] as const;

/** Far behind what the program writes meanwhile. */
let seq = 1_000_000;

const seed = (ctx: Ctx, n: number, id = () => ctx.newId('aud')) =>
  seedRows(ctx, auditRecord.table, n, (i) =>
    auditRecord.write(
      {
        seq: seq++,
        id: id(),
        at: i % 2 === 0 ? LONG_AGO : ctx.now(),
        actorKind: 'staff',
        actorId: `usr_${i % 5}`,
        actorLabel: `${i % 7 === 0 ? '=' : ''}person ${i % 5}`,
        via: VIAS[i % 4] as (typeof VIAS)[number],
        ip: null,
        userAgent: null,
        requestId: `req_${i % 9}`,
        tenantId: i % 3 === 0 ? `tnt_${'0'.repeat(26)}` : ctx.tenantId,
        action: i % 2 === 0 ? 'PRODUCT_CREATED' : 'PRODUCT_UPDATED',
        targetType: i % 4 === 0 ? 'policies' : 'products',
        targetId: `prd_${i % 50}`,
        before: null,
        after: { name: `thing ${i}` },
        details: {},
        note: null,
        personId: null,
      },
      { prevHash: '', hash: 'x'.repeat(43) },
    ),
  );

export const auditSample: ResourceSample = {
  resource: auditResource,
  rows: {
    'GET /audit-log': 'audit:read',
    'GET /audit-log/export': 'audit:read',
    'GET /audit-log/count': 'audit:read',
    'GET /audit-log/{id}': 'audit:read',
    'POST /audit-log/verify': 'audit:read',
  },
  async make(ctx) {
    const id = ctx.newId('aud');
    await seed(ctx, 1, () => id);
    return { id };
  },
  bodies: { 'POST /audit-log/verify': () => ({ anchor: { seq: 0, hash: '' } }) },
  seed,
  // Whoever may act for every tenant sees what all of them did.
  everyTenant: true,
  filters: {
    actor: 'person 1',
    action: 'PRODUCT_CREATED',
    targetType: 'policies',
    targetId: 'prd_1',
    via: 'web,cli',
    tenantId: `tnt_${'0'.repeat(26)}`,
    requestId: 'req_1',
    from: '2021-01-01T00:00:00Z',
    to: '2021-01-01T00:00:00Z',
    q: 'thing 1',
  },
};
