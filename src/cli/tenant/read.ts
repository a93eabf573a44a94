import type { Page } from '#kernel/service/pagination.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { type Tenant, tenantOf, withTenants } from './twin.ts';

const columns: readonly Column<Tenant>[] = [
  { key: 'id' },
  { key: 'slug' },
  { key: 'name' },
  { key: 'status' },
  { key: 'licenses', align: 'right' },
  { key: 'hostnames', title: 'host names', text: ({ hostnames }) => hostnames.join(', ') },
];

/** `appctl tenant list`. */
export function listTenants(cli: Cli): Promise<void> {
  return withTenants(cli, async (desk) =>
    cli.out.page(await desk.get<Page<Tenant>>('tenants', pageAsked(cli)), columns),
  );
}

/** `appctl tenant show TENANT`. */
export function showTenant(cli: Cli): Promise<void> {
  return withTenants(cli, async (desk) => writeCard(cli, await tenantOf(desk, cli.argument('tenant'))));
}
