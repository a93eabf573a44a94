import { completing } from '../completers.ts';
import { webhookTwins } from './twin.ts';

/** Ids of the webhooks. */
export const completeWebhooks = completing(webhookTwins, 'webhooks', 'id');

/** Names of the events, and `*`. */
export async function completeEvents(): Promise<readonly string[]> {
  const { licenseWebhooks } = await import('#licensing/insight/webhooks/index.ts');
  return ['*', ...licenseWebhooks.events.map(({ name }) => name)];
}
