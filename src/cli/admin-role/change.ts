import { PERMISSIONS } from '#platform/permissions/index.ts';
import type { RoleView } from '#platform/roles/view.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { type OneRole, roleOf, withRoles } from './twin.ts';

/** The permissions that the line names. @throws CliError (2) for one that there is not */
function named(words: readonly string[]): readonly string[] {
  const unknown = words.find((word) => !(PERMISSIONS as readonly string[]).includes(word));
  if (unknown === undefined) return words;
  throw usageError(`${JSON.stringify(unknown)} is not a permission`, 'appctl admin role show owner');
}

/** `appctl admin role create ROLE --permission P…`. */
export const createRole = (cli: Cli): Promise<void> =>
  write(cli, 'created', async (desk) => {
    const input = { name: cli.argument('role'), permissions: named(cli.list('permission')) };
    return (await desk.post<OneRole>('roles', input)).role;
  });

/** `appctl admin role grant ROLE PERMISSION…`. */
export const grantPermissions = (cli: Cli): Promise<void> =>
  write(cli, 'changed', (desk) => changed(cli, desk, (held, named) => [...held, ...named]));

/** `appctl admin role deny ROLE PERMISSION…`. */
export const denyPermissions = (cli: Cli): Promise<void> =>
  write(cli, 'changed', (desk) =>
    changed(cli, desk, (held, named) => held.filter((one) => !named.includes(one))),
  );

/** Somebody who changed the role between the two calls is not overwritten. */
async function changed(
  cli: Cli,
  desk: Desk,
  merge: (held: readonly string[], named: readonly string[]) => readonly string[],
): Promise<RoleView> {
  const { id, permissions, updatedAt } = await roleOf(desk, cli.argument('role'));
  const after = merge(permissions, named(cli.argumentList('permission')));
  const options = { ifMatch: updatedAt };
  return (await desk.patch<OneRole>(at`roles/${id}`, { permissions: [...new Set(after)] }, options)).role;
}

/** `appctl admin role delete ROLE`; the answer is the role that is gone. */
export function deleteRole(cli: Cli): Promise<void> {
  return withRoles(cli, async (desk) => {
    const role = await roleOf(desk, cli.argument('role'));
    await cli.confirm({ action: `delete the role ${role.name}` });
    await desk.delete(at`roles/${role.id}`);
    await writeCard(cli, planned(cli, role));
    noteChange(cli, `deleted ${role.name}`);
  });
}

function write(cli: Cli, done: string, work: (desk: Desk) => Promise<RoleView>): Promise<void> {
  return withRoles(cli, async (desk) => {
    const role = await work(desk);
    await writeCard(cli, planned(cli, role));
    noteChange(cli, `${done} ${role.name}`);
  });
}
