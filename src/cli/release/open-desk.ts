import { rehearsing } from '#kernel/rehearse.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import type { ReleaseDesk } from './desk.ts';

/** A desk that is open for one command. */
export interface OpenDesk {
  readonly desk: ReleaseDesk;
  readonly isRemote: boolean;
  /**
   * Makes a change; with --dry-run it is rehearsed, and refused as it would be.
   *
   * @param work makes one change: a rehearsed one is not there any more for a second one
   * @throws usage error (2) for a rehearsal on a server, which has none
   */
  change<T>(work: (desk: ReleaseDesk) => Promise<T>): Promise<T>;
}

/**
 * Opens the desk of a release command: of the server that `--server` or APPCTL_SERVER names, else of the local
 * installation. It is closed afterwards, also when the command fails.
 *
 * @throws as withLocal; usage error (2) for a server without its key
 */
export async function withDesk<T>(cli: Cli, work: (open: OpenDesk) => Promise<T>): Promise<T> {
  const { config } = await cli.config();
  if (config.server !== undefined) {
    const { remoteDesk } = await import('./desk-remote.ts');
    const desk = await remoteDesk(cli);
    return work({ desk, isRemote: true, change: (make) => (cli.dryRun ? refuseRehearsal() : make(desk)) });
  }
  const { localDesk } = await import('./desk-local.ts');
  return withLocal(cli, async ({ ctx }) =>
    work({
      desk: localDesk(ctx, config),
      isRemote: false,
      change: (make) => make(localDesk(cli.dryRun ? rehearsing(ctx) : ctx, config)),
    }),
  );
}

async function refuseRehearsal(): Promise<never> {
  throw usageError(
    '--dry-run needs the local installation: a server rehearses nothing',
    'leave out --server',
  );
}
