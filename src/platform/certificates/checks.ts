import { type Check, type Finding, ok, onSchema, skip, warn } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import { acmeServers, differenceOf, SAME_DIRECTORY } from './servers.ts';

/** Whether all servers of the database order from one authority. */
async function checkAuthorities(ctx: Ctx): Promise<Finding> {
  const servers = await acmeServers(ctx);
  const [first] = servers;
  if (!first) return skip('no other server orders certificates for this database');
  const difference = differenceOf(servers);
  return difference === null
    ? ok(`every server uses ${first.directory}`)
    : warn(`${difference}; meanwhile nothing is ordered from a second one`, SAME_DIRECTORY);
}

export const certificateChecks: readonly Check[] = [
  {
    id: 'net.acme-directory',
    title: 'one certificate authority for all servers',
    alert: 'installation',
    run: onSchema(checkAuthorities),
  },
];
