import { counted } from '#kernel/counts.ts';
import { type Pruned, pruneBackups } from '../../app/backup/prune.ts';
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
      if (cli.dryRun) return cli.out.value({ ...plan, dryRun: true }, () => wordsOf(plan, 'would delete'));
      if (!isEmpty(plan)) await cli.confirm({ action: `delete ${namesIn(plan)}` });
      const done = await pruneBackups(config, database, rule, { dryRun: false });
      await cli.out.value(done, () => wordsOf(done, 'deleted'));
    },
    'inspect',
  );
}

const isEmpty = ({ removed, streamFiles }: Pruned): boolean => removed.length === 0 && streamFiles === 0;

const namesIn = ({ removed, streamFiles }: Pruned): string =>
  [...removed, ...(streamFiles === 0 ? [] : [`${counted(streamFiles, 'file')} of the stream`])].join(', ');

const wordsOf = (pruned: Pruned, verb: string): string =>
  isEmpty(pruned)
    ? `nothing to delete; ${counted(pruned.kept, 'backup')} kept`
    : `${verb}: ${namesIn(pruned)}`;
