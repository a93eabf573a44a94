import type { LocalPart } from '#kernel/capability.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { webhookEvents } from '../webhooks/events.ts';
import { tellStaff } from './tell.ts';

/** What every process knows of mails to staff: any of them may have an outcome that disables a webhook. */
export const staffMailLocal = {
  name: 'staff-mail',
  subscribers: [
    onEventsOf<typeof webhookEvents>('platform')('WEBHOOK_DISABLED', async (ctx, { subject, data }) => {
      // One that somebody disabled has no reason of its own, and is no news.
      if (data.reason !== undefined) await tellStaff(ctx, 'admin_webhook_disabled', subject);
    }),
  ],
} satisfies LocalPart;
