import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** `appctl migrate down`: drops what the newest migrations made. */
export function migrateDown(cli: Cli): Promise<void> {
  return withLocal(
    cli,
    async ({ migrator }) => {
      const until = wanted(cli);
      const plan = await migrator.plan('down', until);
      if (cli.dryRun) {
        return cli.out.value(
          { reverted: plan, dryRun: true },
          () => `would revert: ${plan.join(', ') || 'nothing'}`,
        );
      }
      if (plan.length > 0) await cli.confirm({ action: `revert ${plan.join(', ')} and drop their data` });
      const reverted = plan.length === 0 ? [] : await migrator.down(until);
      await cli.out.value({ reverted }, () => `reverted: ${reverted.join(', ') || 'nothing'}`);
    },
    'inspect',
  );
}

function wanted(cli: Cli): { to?: string; count?: number } {
  const to = cli.option('to');
  if (to !== undefined) return { to };
  return cli.flag('all') ? {} : { count: cli.integer('step') ?? 1 };
}
