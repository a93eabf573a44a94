import { hostname } from 'node:os';
import { callServer } from '#kernel/http/admin-socket.ts';
import { createScheduler, type Run } from '#kernel/jobs/scheduler.ts';
import { socketPath } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { userName, withLocal } from '../open.ts';
import { jobs } from './list.ts';

/** `appctl jobs run NAME [--wait]`: ends with 1 when the job failed; its outcome is the answer all the same. */
export async function runJob(cli: Cli): Promise<number> {
  const name = cli.argument('name').replaceAll('_', '-');
  if (!cli.flag('wait') && (await startInServer(cli, name))) {
    await cli.out.value({ name, started: true }, () => `${name} was started by the server`);
    return exits.done;
  }
  const run = (await runInServer(cli, name)) ?? (await runHere(cli, name));
  await cli.out.value(run, (paint) =>
    run.status === 'ok'
      ? `${name} ${paint('green', 'ok')} in ${run.ms} ms: ${counts(run.result)}`
      : `${name} ${paint('red', 'failed')} after ${run.ms} ms: ${run.error}`,
  );
  return run.status === 'ok' ? exits.done : exits.unexpected;
}

const runHere = (cli: Cli, name: string): Promise<Run> =>
  withLocal(cli, ({ ctx, config }) =>
    createScheduler(jobs, `${hostname()}:${process.pid}`, { timeZone: config.jobs.timeZone }).run(
      ctx,
      name,
      cli.flag('wait'),
    ),
  );

/** A job that writes what waits in the server's memory can only be run there; null for others, and without a server. */
async function runInServer(cli: Cli, name: string): Promise<Run | null> {
  if (!jobs.some((job) => job.name === name && job.everyProcess)) return null;
  const { config } = await cli.config();
  return callServer<Run>(socketPath(config), 'run-job', { name, as: userName() }, 0);
}

async function startInServer(cli: Cli, name: string): Promise<boolean> {
  const { config } = await cli.config();
  return (await callServer(socketPath(config), 'start-job', { name, as: userName() })) !== null;
}

const counts = (result: Record<string, number> | null): string =>
  Object.entries(result ?? {})
    .map(([key, count]) => `${key} ${count}`)
    .join(', ') || 'nothing to count';
