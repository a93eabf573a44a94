import { localMinute } from '#kernel/local-time.ts';
import type { ExplainedRefusal } from '#licensing/insight/limit-refusals/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { type ApiKeyView, apiKeyView } from '#platform/api-keys/view.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { flushServer } from '../fresh.ts';
import { withLocal } from '../open.ts';
import { pageAsked, pageOf } from '../paging.ts';
import { limitsText } from './limits.ts';
import { writeApiKey } from './write.ts';

const columns: readonly Column<ApiKeyView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'service' },
  { key: 'scope' },
  { key: 'prefix' },
  { key: 'limits', text: ({ limits }) => limitsText(limits) },
  { key: 'expiresAt', title: 'expires', time: true },
  { key: 'lastUsedAt', title: 'last used', time: true },
  { key: 'revokedAt', title: 'revoked', time: true },
];

/** `appctl apikey list`. */
export function listApiKeys(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const asked = pageAsked(cli);
    const service = cli.option('service') === 'license' ? ('license' as const) : undefined;
    const offset = (asked.page - 1) * asked.limit;
    const { items, total } = await apiKeys.list(ctx, { service, offset, limit: asked.limit });
    await cli.out.page(pageOf(asked, items.map(apiKeyView), total), columns);
  });
}

/** `appctl apikey show ID`: with the requests that its limits refused in the last 24 hours. */
export async function showApiKey(cli: Cli): Promise<void> {
  await flushServer(cli);
  await withLocal(cli, async ({ ctx }) => {
    const key = apiKeyView(await apiKeys.get(ctx, cli.argument('id')));
    const { explainRefusals } = await import('#licensing/insight/limit-refusals/index.ts');
    const found = await explainRefusals(ctx, { subject: key.id });
    const shown = { ...key, refusals: found.map(refusalView) };
    const words = found.map(({ count, bucket, limit, firstAt }) => {
      return `${count} by ${bucket} (${limit}) since ${localMinute(new Date(firstAt))}`;
    });
    await writeApiKey(cli, shown, { refusals: words });
    cli.next(...found.map(({ command }) => command));
  });
}

const refusalView = ({ bucket, limit, count, firstAt, lastAt, command }: ExplainedRefusal) => ({
  bucket,
  limit,
  count,
  firstAt,
  lastAt,
  command,
});
