import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { acmeInForce } from './in-force.ts';
import type { AcmeServer } from './record.ts';
import * as repo from './repository.ts';

/** A server that was not heard of for so long is gone, or uses another authority by now. */
const GONE_SECONDS = 600;

/** Tells other servers of the database for which authority this one is configured. */
export async function tellAuthority(ctx: Ctx): Promise<void> {
  const { here } = ctx.memory.of(acmeInForce);
  if (here === null || here.server === null) return;
  const { server, acme } = here;
  const now = ctx.now();
  const one = { server, name: acme.name, directory: acme.directory, heardAt: now, createdAt: now };
  await ctx.tx((ctx) => repo.hear(ctx, one));
}

/** Servers that were heard of lately. */
export const acmeServers = (ctx: Ctx): Promise<AcmeServer[]> =>
  repo.listServers(ctx, addSeconds(ctx.now(), -GONE_SECONDS));

/** How two that differ are brought together. */
export const SAME_DIRECTORY =
  'set the same tls.acme_directory (APPCTL_TLS_ACME_DIRECTORY) on every server, then restart those that you changed';

/** Who uses which authority for a name, in words; null where all of them use one. */
export function differenceOf(servers: readonly AcmeServer[]): string | null {
  for (const [name, all] of Map.groupBy(servers, (one) => one.name)) {
    const directories = new Set(all.map(({ directory }) => directory));
    if (directories.size < 2) continue;
    const uses = all.map(({ server, directory }) => `${server} uses ${directory}`).join(', ');
    return `servers order the certificate of ${name} from different authorities: ${uses}`;
  }
  return null;
}
