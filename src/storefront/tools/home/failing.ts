import { allows } from '#kernel/actor.ts';
import type { Waiting } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { failedEmails, failingEmails } from '#platform/mail/index.ts';
import { listFailing } from '#platform/webhooks/index.ts';

/** What shoppers and other systems are not told, and why, for whoever may see it. */
export async function failingWords(ctx: Ctx): Promise<Waiting[]> {
  const maySeeEmails = allows(ctx.actor, 'settings:read');
  const waiting = maySeeEmails ? await failingEmails(ctx) : { count: 0, error: null };
  const ended = maySeeEmails ? await failedEmails(ctx) : { count: 0, error: null };
  const webhooks = allows(ctx.actor, 'webhooks:read') ? await listFailing(ctx, 'store') : [];
  return [
    ...said(waiting.count, {
      words: `${counted(waiting.count, 'email')} could not be sent and will be tried again: ${waiting.error}`,
      href: '/store/settings/email-log?status=queued',
    }),
    ...said(ended.count, {
      words: `${counted(ended.count, 'email')} failed for good in 24 hours: ${ended.error}`,
      href: '/store/settings/email-log?status=failed',
    }),
    ...webhooks.map(({ webhookId, name, waiting, error }) => ({
      words: `${name} did not take ${counted(waiting, 'delivery', 'deliveries')}: ${error}`,
      href: `/store/settings/webhooks/${encodeURIComponent(webhookId)}`,
    })),
  ];
}

const said = (count: number, one: Waiting): Waiting[] => (count > 0 ? [one] : []);
