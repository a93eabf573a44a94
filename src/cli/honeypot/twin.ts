import type { Honeypot } from '#licensing/insight/honeypots/view.ts';
import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A honeypot as an operation answers it. */
export interface OneHoneypot {
  readonly honeypot: Honeypot;
}

const twins = twinsOf(async () => {
  const declared = await import('#licensing/insight/honeypots/resource.ts');
  return [declared.honeypotResource, declared.honeypotHitResource];
});

/** Opens the desk of a command about honeypots. Throws as withDesk does. */
export const withHoneypots = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);
