import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** More would not be read on a key press. */
const MOST = 500;

/** Ids of the webhooks. */
export async function completeWebhooks(cli: Cli): Promise<readonly string[]> {
  const [webhooks, { licenseWebhooks }] = await Promise.all([
    import('#platform/webhooks/index.ts'),
    import('#licensing/insight/webhooks/index.ts'),
  ]);
  return withLocal(cli, async ({ ctx }) =>
    (await webhooks.webhookRows(licenseWebhooks.name).page(ctx, { offset: 0, limit: MOST })).items.map(
      ({ id }) => id,
    ),
  );
}

/** Names of the events, and `*`. */
export async function completeEvents(): Promise<readonly string[]> {
  const { licenseWebhooks } = await import('#licensing/insight/webhooks/index.ts');
  return ['*', ...licenseWebhooks.events.map(({ name }) => name)];
}
