import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { percentOf, scheduleOf } from './flags.ts';
import { actOn } from './twin.ts';
import { changeRelease } from './withdraw.ts';

/** `appctl release rollout ID`. */
export async function rollOutRelease(cli: Cli): Promise<void> {
  const change = rolloutChange(cli);
  if (Object.keys(change).length === 0)
    throw usageError('nothing to change', 'appctl release rollout ID --percent 50');
  await changeRelease(cli, {
    change: (desk, id) => actOn(desk, id, 'rollout', change),
    done: (name, { id, state }) =>
      state === 'YANKED'
        ? `stored the rollout of ${name}, which is withdrawn: it is offered to nobody until appctl release unyank ${id}`
        : `changed the rollout of ${name}`,
    already: (name) => `the rollout of ${name} was already so`,
  });
}

function rolloutChange(cli: Cli): object {
  const percent = cli.option('percent');
  const steps = cli.list('schedule');
  return {
    ...(percent !== undefined && { percent: percentOf('--percent', percent) }),
    ...(steps.length > 0 && { schedule: scheduleOf(cli, '--schedule', steps) }),
    ...(cli.flag('clear-schedule') && { schedule: [] }),
    ...(cli.flag('pause') && { paused: true }),
    ...(cli.flag('resume') && { paused: false }),
  };
}
