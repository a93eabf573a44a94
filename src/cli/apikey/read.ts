import { localMinute } from '#kernel/local-time.ts';
import type { Page } from '#kernel/service/pagination.ts';
import type { ApiKeyView } from '#platform/api-keys/view.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { flushServer } from '../fresh.ts';
import { pageAsked } from '../paging.ts';
import { serverAsked } from '../remote/asked.ts';
import { limitsText } from './limits.ts';
import { apiKeyOf, withApiKey, withApiKeys } from './twin.ts';
import { writeApiKey } from './write.ts';

const columns: readonly Column<ApiKeyView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'service' },
  { key: 'scope', text: ({ scope, scopes }) => scope ?? scopes.join(', ') },
  { key: 'prefix' },
  { key: 'limits', text: ({ limits }) => limitsText(limits) },
  { key: 'expiresAt', title: 'expires', time: true },
  { key: 'lastUsedAt', title: 'last used', time: true },
  { key: 'revokedAt', title: 'revoked', time: true },
];

/** `appctl apikey list`. */
export function listApiKeys(cli: Cli): Promise<void> {
  return withApiKeys(cli, async (desk) =>
    cli.out.page(await desk.get<Page<ApiKeyView>>('api-keys', pageAsked(cli)), columns),
  );
}

/** `appctl apikey show ID`: with the requests that its limits refused in the last 24 hours. */
export async function showApiKey(cli: Cli): Promise<void> {
  if ((await serverAsked(cli)) === null) await flushServer(cli);
  await withApiKey(cli, async (desk) => {
    const key = await apiKeyOf(desk, cli.argument('id'));
    const words = key.refusals.map(({ count, bucket, limit, firstAt }) => {
      return `${count} by ${bucket} (${limit}) since ${localMinute(new Date(firstAt))}`;
    });
    await writeApiKey(cli, key, { refusals: words });
    cli.next(...key.refusals.map(({ command }) => command));
  });
}
