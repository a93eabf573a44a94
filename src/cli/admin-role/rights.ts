import { wordsOf } from '../admin-user/read.ts';
import { type OneUser, userAsked, withRights } from '../admin-user/twin.ts';
import { productIdsAsked } from '../apikey/write.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';

/** `appctl admin user set-role USER --role ROLE…`. */
export function setUserRoles(cli: Cli): Promise<void> {
  const names = cli.list('role');
  const what = names.length === 0 ? 'no role' : names.join(', ');
  return change(cli, `give {user} ${what} instead of {roles}`, async () => ({ roles: names }));
}

/** `appctl admin user set-scope USER --product SLUG… --of-tenant SLUG…`. */
export function setUserScopes(cli: Cli): Promise<void> {
  const named = [...cli.list('product'), ...cli.list('of-tenant')];
  const what = named.length === 0 ? 'everything' : `only ${named.join(', ')}`;
  return change(cli, `let {user} see ${what}`, async (desk) => {
    const products = (await productIdsAsked(cli, desk)) ?? [];
    return {
      scopes: [
        ...products.map((refId) => ({ kind: 'license_product', refId })),
        ...cli.list('of-tenant').map((refId) => ({ kind: 'tenant', refId })),
      ],
    };
  });
}

function change(cli: Cli, action: string, changes: (desk: Desk) => Promise<object>): Promise<void> {
  return withRights(cli, async (desk) => {
    const { id, email, roles } = await userAsked(cli, desk);
    const said = action.replace('{user}', email).replace('{roles}', roles.join(', ') || 'none');
    await cli.confirm({ action: said });
    const { user } = await desk.patch<OneUser>(at`users/${id}`, await changes(desk));
    await writeCard(cli, planned(cli, user), wordsOf(user));
    noteChange(cli, `changed ${email}`);
  });
}
