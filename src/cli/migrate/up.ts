import { refuseLeftBehind } from '#platform/installation/index.ts';
import type { Instance } from '../../app/instance.ts';
import { snapshotBefore } from '../../app/snapshot.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** `appctl migrate up`. */
export function migrateUp(cli: Cli): Promise<void> {
  return withLocal(cli, (instance) => apply(cli, instance), 'inspect');
}

async function apply(cli: Cli, instance: Instance): Promise<void> {
  const { migrator, config } = instance;
  if ((await migrator.status()).applied.length === 0) await refuseLeftBehind(config);
  const [to, count] = [cli.option('to'), cli.integer('step')];
  const until = { ...(to !== undefined && { to }), ...(count !== undefined && { count }) };
  const plan = await migrator.plan('up', until);
  if (cli.dryRun) {
    return cli.out.value(
      { applied: plan, dryRun: true },
      () => `would apply: ${plan.join(', ') || 'nothing'}`,
    );
  }
  const backup = plan.length === 0 || cli.flag('no-backup') ? null : await copyFirst(instance);
  const applied = await migrator.up(until);
  await cli.out.value({ applied, ...(backup !== null && { backup }) }, () =>
    [
      `applied: ${applied.join(', ') || 'nothing, the schema is current'}`,
      ...(backup === null ? [] : [`backup:  ${backup}`]),
    ].join('\n'),
  );
}

/** An empty database holds nothing that could be lost. */
async function copyFirst({ database, migrator, config, clock, ctx }: Instance): Promise<string | null> {
  const { applied } = await migrator.status();
  return applied.length === 0 ? null : snapshotBefore({ config, database, migrator, clock, log: ctx.log });
}
