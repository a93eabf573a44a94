import { requestRecord } from '#licensing/insight/requests/record.ts';
import { requestResource } from '#licensing/insight/requests/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { plainLicense } from './plain-license.ts';

/** What a filter names: only who seeds knows it. */
let seededLicense = '';

export const requestSample: ResourceSample = {
  resource: requestResource,
  rows: {
    'GET /request-log': 'licensing:read',
    'GET /request-log/export': 'licensing:read',
    'GET /requests/{requestId}': 'licensing:read',
  },
  async make(ctx) {
    const license = await plainLicense(ctx);
    const requestId = ctx.newId('req');
    await seedRows(ctx, requestRecord.table, 1, () => ({
      ...row(ctx.now(), 0),
      id: requestId,
      tenant_id: ctx.tenantId,
      license_id: license.id,
    }));
    return { requestId };
  },
  bodies: {},
  async seed(ctx, n) {
    const [one, other] = [await plainLicense(ctx), await plainLicense(ctx)];
    seededLicense = one.id;
    await seedRows(ctx, requestRecord.table, n, (i) => ({
      ...row(i % 3 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(), i),
      id: ctx.newId('req'),
      tenant_id: ctx.tenantId,
      license_id: (i % 2 === 0 ? one : other).id,
    }));
  },
  filters: {
    get licenseId() {
      return seededLicense;
    },
    failed: 'true',
    q: 'deactivate',
    from: '2021-01-01T00:00:00Z',
    to: '2021-01-01T00:00:00Z',
  },
};

const row = (at: string, i: number) => ({
  at,
  method: 'POST',
  route: `/api/v1/license/${i % 2 === 0 ? 'validate' : 'deactivate'}`,
  status: i % 4 === 0 ? 404 : 200,
  code: i % 4 === 0 ? 'NOT_FOUND' : null,
  api_key_id: i % 5 === 0 ? 'key_01' : 'key_02',
  ip: `203.0.113.${i % 9}`,
  // What a spreadsheet would run.
  user_agent: i % 7 === 0 ? '=1+1' : null,
  ms: i,
});
