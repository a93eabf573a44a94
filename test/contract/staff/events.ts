import { eventResource } from '#licensing/insight/events/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { plainLicense } from './plain-license.ts';

export const eventSample: ResourceSample = {
  resource: eventResource,
  rows: { 'GET /events': 'licensing:read', 'GET /events/export': 'licensing:read' },
  make: async (ctx) => ({ id: (await plainLicense(ctx)).id }),
  bodies: {},
  async seed(ctx, n) {
    await seedRows(ctx, 'events', n, (i) => ({
      id: ctx.newId('evt'),
      type: i % 3 === 0 ? 'SEEDED_ONE' : 'SEEDED_OTHER',
      service: 'license',
      tenant_id: ctx.tenantId,
      subject: `lic_seeded${i % 5}`,
      at: i % 3 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
      actor_kind: 'job',
      // What a spreadsheet would run.
      actor_label: i % 4 === 0 ? '=seed' : null,
      request_id: i % 5 === 0 ? 'req_seeded' : null,
      data: JSON.stringify({ number: i }),
    }));
  },
  filters: {
    type: 'SEEDED_ONE',
    licenseId: 'lic_seeded1',
    subject: 'lic_seeded2',
    actor: '=seed',
    requestId: 'req_seeded',
    from: '2021-01-01T00:00:00Z',
    to: '2021-01-01T00:00:00Z',
  },
};
