import type { PolicyView } from '#licensing/catalog/policies/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A policy as an operation answers it. */
export interface OnePolicy {
  readonly policy: PolicyView;
}

const twins = twinsOf(async () => [(await import('#licensing/insight/policies/resource.ts')).policyResource]);

/** Opens the desk of a command about policies. Throws as withDesk does. */
export const withPolicies = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads a policy by its name or id. */
export const policyOf = async (desk: Desk, name: string): Promise<PolicyView> =>
  (await desk.get<OnePolicy>(at`policies/${name}`)).policy;
