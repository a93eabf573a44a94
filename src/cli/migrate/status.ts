import { UNFINISHED_HINT, unfinishedMessage } from '#platform/installation/index.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { withLocal } from '../open.ts';

/** `appctl migrate status`: ends with 8 when migrations wait. */
export function showStatus(cli: Cli): Promise<number> {
  return withLocal(
    cli,
    async ({ database, migrator }) => {
      const status = await migrator.status();
      const rows = [
        ...status.applied.map(({ name, at, ms }) => ({ name, state: 'applied', at, ms })),
        ...status.pending.map(({ name }) => ({ name, state: 'pending', at: null, ms: null })),
        ...status.unknown.map((name) => ({ name, state: 'unknown to this program', at: null, ms: null })),
      ];
      const { unfinishedCopyOf } = status;
      if (unfinishedCopyOf !== null)
        cli.warn(`${unfinishedMessage(database.displayUrl, unfinishedCopyOf)}; ${UNFINISHED_HINT}`);
      await cli.out.rows(status, rows, [
        { key: 'name' },
        { key: 'state' },
        { key: 'at', title: 'applied', time: true },
        { key: 'ms', align: 'right' },
      ]);
      if (status.pending.length === 0) return exits.done;
      cli.next('appctl migrate up');
      return exits.pending;
    },
    'inspect',
  );
}
