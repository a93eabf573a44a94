import * as adminTokens from '#platform/admin-tokens/index.ts';
import { type AdminTokenView, adminTokenView } from '#platform/admin-tokens/view.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked, pageOf } from '../paging.ts';

const columns: readonly Column<AdminTokenView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'role', text: ({ role }) => role ?? 'of its user' },
  { key: 'tenant', text: ({ tenant }) => tenant ?? 'all' },
  { key: 'prefix' },
  { key: 'expiresAt', title: 'expires', time: true },
  { key: 'lastUsedAt', title: 'last used', time: true },
  { key: 'revokedAt', title: 'revoked', time: true },
];

/** `appctl admin token list`. */
export function listAdminTokens(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx, config }) => {
    const asked = pageAsked(cli);
    const offset = (asked.page - 1) * asked.limit;
    const { items, total } = await adminTokens.list(ctx, { offset, limit: asked.limit });
    const shown = items.map((token) => adminTokenView(token, config.tenant));
    await cli.out.page(pageOf(asked, shown, total), columns);
  });
}
