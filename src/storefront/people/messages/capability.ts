import { allows } from '#kernel/actor.ts';
import { capability, type Job } from '#kernel/capability.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { messageEndpoints } from './endpoints.shop.ts';
import { messageEvents } from './events.ts';
import { countOpen } from './queries.ts';
import { messageRecord } from './record.ts';
import { messageResource } from './resource.ts';

const purgeMessages: Job = {
  name: 'purge-messages',
  description:
    'Removes contact form messages some days after they were marked as done (contact_message_days)',
  everySeconds: 86_400,
  waitsAfterClockStep: true,
  run: removerOf([messageRecord]),
};

/** What people write to the shop. */
export const shopMessages = capability({
  name: 'shop-messages',
  events: [messageEvents],
  resources: [messageResource],
  storeEndpoints: messageEndpoints,
  records: [messageRecord],
  jobs: [purgeMessages],
  waits: async (ctx) => {
    const open = allows(ctx.actor, 'customers:read') ? await countOpen(ctx) : 0;
    if (open === 0) return [];
    return [
      {
        words: `${open} ${open === 1 ? 'message' : 'messages'} to answer`,
        href: '/store/messages?status=open',
      },
    ];
  },
});
