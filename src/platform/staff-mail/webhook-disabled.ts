import type { StaffMail } from '#kernel/mail.ts';
import { defineMail } from '../mail/index.ts';
import { disabledWebhook } from './queries.ts';

/** A receiver that failed too often gets nothing any more, until staff switch it on again. */
export const webhookDisabledMail: StaffMail = {
  mail: defineMail({
    key: 'admin_webhook_disabled',
    placeholders: ['webhook', 'reason', 'url'],
    sample: {
      webhook: 'https://receiver.example/hooks',
      reason: '20 deliveries in a row failed',
      url: 'https://shop.example/store/settings/webhooks',
    },
    isForStaff: true,
  }),
  needs: 'webhooks:write',
  label: 'Webhooks that were disabled because their deliveries failed',
  about: 'webhook',
  async values(ctx, id) {
    const found = await disabledWebhook(ctx, id);
    if (!found) return null;
    const place = found.service === 'store' ? '/store/settings/webhooks' : '/admin/webhooks';
    return { webhook: found.url, reason: found.reason ?? '', url: `${ctx.baseUrl}${place}/${id}` };
  },
};
