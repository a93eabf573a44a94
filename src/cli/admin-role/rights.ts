import type { Ctx } from '#kernel/context.ts';
import * as accounts from '#platform/accounts/index.ts';
import type { StaffView } from '#platform/accounts/view.ts';
import * as tenants from '#platform/tenants/index.ts';
import { wordsOf } from '../admin-user/read.ts';
import { productIdsAsked } from '../apikey/write.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** `appctl admin user set-role USER --role ROLE…`. */
export function setUserRoles(cli: Cli): Promise<void> {
  const names = cli.list('role');
  const what = names.length === 0 ? 'no role' : names.join(', ');
  return change(cli, `give {user} ${what} in place of {roles}`, (ctx, id) =>
    accounts.setRoles(ctx, id, names),
  );
}

/** `appctl admin user set-scope USER --product SLUG… --of-tenant SLUG…`. */
export function setUserScopes(cli: Cli): Promise<void> {
  const named = [...cli.list('product'), ...cli.list('of-tenant')];
  const what = named.length === 0 ? 'everything' : `${named.join(', ')} alone`;
  return change(cli, `let {user} see ${what}`, async (ctx, id) => {
    const tenantIds = await Promise.all(
      cli.list('of-tenant').map(async (slug) => (await tenants.get(ctx, slug)).id),
    );
    return accounts.setScopes(ctx, id, {
      license_product: (await productIdsAsked(cli, ctx)) ?? [],
      tenant: tenantIds,
    });
  });
}

function change(cli: Cli, action: string, work: (ctx: Ctx, id: string) => Promise<StaffView>): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id, email, roles } = await accounts.get(ctx, cli.argument('user'));
    const said = action.replace('{user}', email).replace('{roles}', roles.join(', ') || 'none');
    await cli.confirm({ action: said });
    const after = await changeOrPlan(cli, ctx, (ctx) => work(ctx, id));
    await writeCard(cli, planned(cli, after), wordsOf(after));
    noteChange(cli, `changed ${email}`);
  });
}
