import { counted } from '#kernel/counts.ts';
import { pruneBackups } from '../../app/backup/prune.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** `appctl backup prune`. */
export function prune(cli: Cli): Promise<void> {
  return withLocal(
    cli,
    async ({ config, database }) => {
      const { daily, weekly, monthly } = config.backup.keep;
      const rule = {
        daily: cli.integer('keep-daily') ?? daily,
        weekly: cli.integer('keep-weekly') ?? weekly,
        monthly: cli.integer('keep-monthly') ?? monthly,
      };
      const plan = await pruneBackups(config, database, rule, { dryRun: true });
      const words = (removed: readonly string[], verb: string) => () =>
        removed.length === 0
          ? `nothing to delete; ${counted(plan.kept, 'backup')} kept`
          : `${verb}: ${removed.join(', ')}`;
      if (cli.dryRun) return cli.out.value({ ...plan, dryRun: true }, words(plan.removed, 'would delete'));
      if (plan.removed.length > 0) await cli.confirm({ action: `delete ${plan.removed.join(', ')}` });
      const done =
        plan.removed.length === 0 ? plan : await pruneBackups(config, database, rule, { dryRun: false });
      await cli.out.value(done, words(done.removed, 'deleted'));
    },
    'inspect',
  );
}
