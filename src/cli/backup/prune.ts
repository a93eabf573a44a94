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
      if (plan.removed.length > 0) await cli.confirm({ action: `delete ${plan.removed.join(', ')}` });
      const done = isEmpty(plan) ? plan : await pruneBackups(config, database, rule, { dryRun: false });
      await cli.out.value(done, () => wordsOf(done, 'deleted'));
    },
    'inspect',
  );
}

const isEmpty = ({ removed, streamFiles }: Pruned): boolean => removed.length === 0 && streamFiles === 0;

function wordsOf(pruned: Pruned, verb: string): string {
  const { removed, kept, streamFiles } = pruned;
  if (isEmpty(pruned)) return `nothing to delete; ${counted(kept, 'backup')} kept`;
  const files = streamFiles === 0 ? [] : [`${counted(streamFiles, 'file')} of the stream`];
  return `${verb}: ${[...removed, ...files].join(', ')}`;
}
