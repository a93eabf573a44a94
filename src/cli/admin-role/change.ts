import type { Ctx } from '#kernel/context.ts';
import * as roles from '#platform/roles/index.ts';
import type { RoleView } from '#platform/roles/view.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

type Permissions = roles.RoleCreateInput['permissions'];

/** `appctl admin role create ROLE --permission P…`. */
export const createRole = (cli: Cli): Promise<void> =>
  write(cli, 'created', (ctx) =>
    namingFlags({ permissions: '--permission' }, () =>
      roles.create(ctx, {
        name: cli.argument('role'),
        permissions: [...cli.list('permission')] as Permissions,
      }),
    ),
  );

/** `appctl admin role grant ROLE PERMISSION…`. */
export const grantPermissions = (cli: Cli): Promise<void> =>
  write(cli, 'changed', (ctx) => changed(cli, ctx, (held, named) => [...held, ...named]));

/** `appctl admin role deny ROLE PERMISSION…`. */
export const denyPermissions = (cli: Cli): Promise<void> =>
  write(cli, 'changed', (ctx) =>
    changed(cli, ctx, (held, named) => held.filter((one) => !named.includes(one))),
  );

async function changed(
  cli: Cli,
  ctx: Ctx,
  merge: (held: readonly string[], named: readonly string[]) => readonly string[],
): Promise<RoleView> {
  return ctx.tx(async (ctx) => {
    await roles.lockRoles(ctx);
    const { id, permissions } = await roles.get(ctx, cli.argument('role'));
    const after = [...new Set(merge(permissions, cli.argumentList('permission')))];
    return roles.update(ctx, id, { permissions: after as Permissions });
  });
}

/** `appctl admin role delete ROLE`; the answer is the role that is gone. */
export function deleteRole(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id, name } = await roles.get(ctx, cli.argument('role'));
    await cli.confirm({ action: `delete the role ${name}` });
    const role = await changeOrPlan(cli, ctx, (ctx) => roles.remove(ctx, id));
    await writeCard(cli, planned(cli, role));
    noteChange(cli, `deleted ${name}`);
  });
}

function write(cli: Cli, done: string, work: (ctx: Ctx) => Promise<RoleView>): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const role = await changeOrPlan(cli, ctx, work);
    await writeCard(cli, planned(cli, role));
    noteChange(cli, `${done} ${role.name}`);
  });
}
