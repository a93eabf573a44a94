import type { RoleView } from '#platform/roles/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A role as an operation answers it. */
export interface OneRole {
  readonly role: RoleView;
}

const twins = twinsOf(async () => [(await import('#platform/roles/resource.ts')).roleResource]);

/** Opens the desk of a command about roles. Throws as withDesk does. */
export const withRoles = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads a role by its name or id. */
export const roleOf = async (desk: Desk, name: string): Promise<RoleView> =>
  (await desk.get<OneRole>(at`roles/${name}`)).role;
