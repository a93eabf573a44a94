import type { Page } from '#kernel/service/pagination.ts';
import type { RoleView } from '#platform/roles/view.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { roleOf, withRoles } from './twin.ts';

const columns: readonly Column<RoleView>[] = [
  { key: 'name' },
  { key: 'isSystem', title: 'of', text: ({ isSystem }) => (isSystem ? 'built-in' : 'custom') },
  { key: 'users' },
  { key: 'tokens' },
  { key: 'permissions', text: ({ permissions }) => permissions.join(', ') },
];

const MOST_ROLES = 500;

/** `appctl admin role list`. */
export function listRoles(cli: Cli): Promise<void> {
  return withRoles(cli, async (desk) =>
    cli.out.page(await desk.get<Page<RoleView>>('roles', { limit: MOST_ROLES }), columns),
  );
}

/** `appctl admin role show ROLE`. */
export function showRole(cli: Cli): Promise<void> {
  return withRoles(cli, async (desk) => writeCard(cli, await roleOf(desk, cli.argument('role'))));
}
