import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { type Asked, pathOf, withJobs } from './twin.ts';
import { countsOf } from './view.ts';

/** `appctl jobs run NAME [--wait]`: ends with 1 when the job failed; its outcome is the answer all the same. */
export function runJob(cli: Cli): Promise<number> {
  return withJobs(cli, async (desk) => {
    const { name, run } = await desk.post<Asked>(`${pathOf(cli)}/run`, { wait: cli.flag('wait') });
    if (run === null) {
      await cli.out.value({ name, started: true }, () => `${name} was started by the server`);
      return exits.done;
    }
    await cli.out.value(run, (paint) =>
      run.status === 'ok'
        ? `${name} ${paint('green', 'ok')} in ${run.ms} ms: ${countsOf(run.result)}`
        : `${name} ${paint('red', 'failed')} after ${run.ms} ms: ${run.error}`,
    );
    return run.status === 'ok' ? exits.done : exits.unexpected;
  });
}
