import type { Ctx } from '#kernel/context.ts';
import { PERMISSIONS } from '#platform/permissions/index.ts';
import * as roles from '#platform/roles/index.ts';
import type { RoleView } from '#platform/roles/view.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';

type Permissions = roles.RoleCreateInput['permissions'];

/** The permissions that the line names. @throws CliError (2) for one that there is not */
function named(words: readonly string[]): Permissions {
  const unknown = words.find((word) => !(PERMISSIONS as readonly string[]).includes(word));
  if (unknown === undefined) return [...words] as Permissions;
  throw usageError(`${JSON.stringify(unknown)} is not a permission`, 'appctl admin role show owner');
}

/** `appctl admin role create ROLE --permission P…`. */
export const createRole = (cli: Cli): Promise<void> =>
  write(cli, 'created', (ctx) =>
    roles.create(ctx, { name: cli.argument('role'), permissions: named(cli.list('permission')) }),
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
    const after = merge(permissions, named(cli.argumentList('permission')));
    return roles.update(ctx, id, { permissions: [...new Set(after)] as Permissions });
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
