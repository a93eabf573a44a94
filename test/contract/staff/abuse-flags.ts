import { ABUSE_RULES, FLAG_STATUSES } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as abuse from '#licensing/insight/abuse/index.ts';
import { abuseFlagResource } from '#licensing/insight/abuse/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { plainLicense } from './plain-license.ts';

/** What the filters name: only who seeds knows it. */
let seeded = { licenseId: '', productId: '' };

export const abuseFlagSample: ResourceSample = {
  resource: abuseFlagResource,
  rows: {
    'GET /abuse/flags': 'licensing:read',
    'GET /abuse/flags/export': 'licensing:read',
    'GET /abuse/flags/{id}': 'licensing:read',
    'POST /abuse/flags': 'licensing:write',
    'POST /abuse/flags/bulk': 'licensing:write',
    'POST /abuse/flags/{id}/clear': 'licensing:write',
    'POST /abuse/flags/{id}/confirm': 'licensing:write',
  },
  async make(ctx, operation) {
    const license = await plainLicense(ctx);
    if (operation === 'POST /abuse/flags') return { license: license.id };
    return { id: (await abuse.flag(ctx, license.id, 'in a forum')).id, license: license.id };
  },
  bodies: {
    'POST /abuse/flags': ({ license }) => ({ licenseId: license, note: 'in a forum' }),
    'POST /abuse/flags/{id}/clear': () => ({ note: 'a conference' }),
    'POST /abuse/flags/{id}/confirm': () => ({ note: 'shared', action: 'SUSPEND' }),
  },
  async seed(ctx, n) {
    const [one, other] = [await plainLicense(ctx), await plainLicense(ctx)];
    seeded = { licenseId: one.id, productId: one.productId };
    await seedRows(ctx, 'license_abuse_flags', n, (i) => ({
      id: ctx.newId(ids.abuseFlag),
      tenant_id: ctx.tenantId,
      license_id: (i % 2 === 0 ? one : other).id,
      rule: ABUSE_RULES[Math.floor(i / 2) % ABUSE_RULES.length],
      // Of one rule there is one open flag at most.
      status: i < ABUSE_RULES.length * 2 ? 'OPEN' : FLAG_STATUSES[1 + (i % 2)],
      score: i % 50,
      evidence: JSON.stringify({ networks: i }),
      // What a spreadsheet would run.
      note: i % 7 === 0 ? '=1+1' : null,
      created_at: i % 3 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
      updated_at: ctx.now(),
    }));
  },
  filters: {
    status: 'CLEARED',
    rule: 'CHURN,MANUAL',
    scoreMin: '25',
    scoreMax: '24',
    get licenseId() {
      return seeded.licenseId;
    },
    get productId() {
      return seeded.productId;
    },
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
  },
  // Clearing is a line in the timeline of the license, and on record there.
  bulk: { action: 'confirm', params: { note: 'shared' } },
};
