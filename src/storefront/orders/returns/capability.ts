import { allows } from '#kernel/actor.ts';
import { capability } from '#kernel/capability.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { returnChecks } from './checks.ts';
import { returnEndpoints } from './endpoints.shop.ts';
import { returnEvents, returnReasonEvents } from './events.ts';
import { expireReturnsJob } from './jobs.ts';
import { returnMails } from './mails.ts';
import { newReturnPage } from './new-page.ts';
import { countRequested } from './queries.ts';
import { returnReasonResource } from './reasons-resource.ts';
import { returnItemRecord, returnMessageRecord, returnReasonRecord, returnRecord } from './record.ts';
import { refundReturnPage } from './refund-page.ts';
import { returnResource } from './resource.ts';
import { returnRequestedStaffMail } from './staff-mail.ts';
import { approvePage, photoPage, receivePage } from './step-pages.ts';

/** Goods that come back. */
export const shopReturns = capability({
  name: 'shop-returns',
  enabledBy: featureSettings.returns_enabled,
  events: [returnEvents, returnReasonEvents],
  resources: [returnResource, returnReasonResource],
  storeEndpoints: returnEndpoints,
  pages: [newReturnPage, approvePage, receivePage, refundReturnPage, photoPage],
  jobs: [expireReturnsJob],
  mails: returnMails,
  staffMails: [returnRequestedStaffMail],
  checks: returnChecks,
  records: [returnReasonRecord, returnRecord, returnItemRecord, returnMessageRecord],
  waits: async (ctx) => {
    const count = allows(ctx.actor, 'orders:read') ? await countRequested(ctx) : 0;
    if (count === 0) return [];
    return [
      {
        words: `${count} ${count === 1 ? 'return' : 'returns'} to decide`,
        href: '/store/returns?status=requested',
      },
    ];
  },
});
