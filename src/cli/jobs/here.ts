import { hostname } from 'node:os';
import type { ConfigFiles } from '#kernel/config/sources.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { createScheduler, type Run } from '#kernel/jobs/scheduler.ts';
import { schedulerInForce } from '#kernel/jobs/scheduler-in-force.ts';
import { backUpHere } from '../../app/backup/scheduled.ts';
import { servedCapabilities } from '../../app/capabilities.ts';
import type { Instance } from '../../app/instance.ts';
import { socketPath } from '../../app/run-files.ts';
import { userName } from '../open.ts';

/** Every job of a program of this configuration; those of a service that is switched off too. */
export const jobsOf = (
  config: Pick<Instance['config'], 'tls' | 'mode'> & Partial<Pick<Instance['config'], 'database'>>,
) =>
  servedCapabilities({ ...config, features: { license: true, store: true } }).flatMap(
    (one) => one.jobs ?? [],
  );

/**
 * Lets this process run jobs. What nobody waits for is left to a server of the same data directory, if one runs; and so
 * is a job that writes what waits in the server's memory.
 */
export async function runJobsHere(instance: Instance, files: ConfigFiles): Promise<void> {
  backUpHere(instance, files);
  const { ctx, config } = instance;
  const { timeZone } = config.jobs;
  const schedules = { backup: config.backup.schedule };
  const jobs = jobsOf(config);
  const here = createScheduler(jobs, `${hostname()}:${process.pid}`, { timeZone, schedules });
  await here.prepare(ctx);
  const atServer = <T>(command: string, name: string): Promise<T | null> =>
    callServer<T>(socketPath(config), command, { name, as: userName() }, 0);
  ctx.memory.of(schedulerInForce).scheduler = {
    ...here,
    async run(ctx, name, wait) {
      const isOfServer = jobs.some((job) => job.name === name && (job.everyProcess || job.needsServer));
      return (isOfServer ? await atServer<Run>('run-job', name) : null) ?? here.run(ctx, name, wait);
    },
    start: async (ctx, name) =>
      (await atServer('start-job', name)) === null ? here.run(ctx, name, false) : null,
  };
}
