import type { Page } from '#kernel/service/pagination.ts';
import type { AdminTokenView } from '#platform/admin-tokens/view.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { withTokens } from './twin.ts';

const columns: readonly Column<AdminTokenView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'role', text: ({ role }) => role ?? 'that of its user' },
  { key: 'tenant', text: ({ tenant }) => tenant ?? 'all' },
  { key: 'prefix' },
  { key: 'expiresAt', title: 'expires', time: true },
  { key: 'lastUsedAt', title: 'last used', time: true },
  { key: 'revokedAt', title: 'revoked', time: true },
];

/** `appctl admin token list`. */
export function listAdminTokens(cli: Cli): Promise<void> {
  return withTokens(cli, async (desk) =>
    cli.out.page(await desk.get<Page<AdminTokenView>>('admin-tokens', pageAsked(cli)), columns),
  );
}
