import * as roles from '#platform/roles/index.ts';
import type { RoleView } from '#platform/roles/view.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageOf } from '../paging.ts';

const columns: readonly Column<RoleView>[] = [
  { key: 'name' },
  { key: 'isSystem', title: 'of', text: ({ isSystem }) => (isSystem ? 'the system' : 'your own') },
  { key: 'users' },
  { key: 'tokens' },
  { key: 'permissions', text: ({ permissions }) => permissions.join(', ') },
];

/** `appctl admin role list`. */
export function listRoles(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const all = await roles.list(ctx);
    const page = { page: 1, limit: Math.max(1, all.length) };
    await cli.out.page(pageOf(page, all, all.length), columns);
  });
}

/** `appctl admin role show ROLE`. */
export function showRole(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => writeCard(cli, await roles.get(ctx, cli.argument('role'))));
}
