import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { lengthText } from '#kernel/time-words.ts';
import { readServerFile, requireServersDatabase, socketPath } from '../../app/run-files.ts';
import type { ServerStatus } from '../../app/server-report.ts';
import type { Status } from '../../app/status-view.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { describe } from './words.ts';

/** A busy server answers within a moment; one that does not is stuck, and whoever asks wants to know that soon. */
const PATIENCE_MS = 4000;

/** `appctl status [--strict]`. */
export async function showStatus(cli: Cli): Promise<number> {
  const loaded = await cli.config();
  const status = (await askServer(loaded)) ?? (await lookInside(cli, loaded));
  const { dataDir } = loaded.config;
  await cli.out.value(status, (paint, width) => describe(status, { dataDir, paint, width }));
  return cli.flag('strict') && status.warnings.length > 0 ? exits.pending : exits.done;
}

/**
 * A running server knows all of it and has its database open: that saves this process opening it.
 *
 * @returns null when no server runs, when it is of a version that cannot be asked, or when the line names a database
 *   or tenant of its own
 */
async function askServer({ config, entries }: LoadedConfig): Promise<Status | null> {
  if (config.databaseGiven.source === 'flag' || entries.tenant.source !== 'default') return null;
  if (config.server !== undefined || config.profile !== undefined) return null;
  try {
    const status = await callServer<Status>(socketPath(config), 'overview', {}, PATIENCE_MS);
    if (status) await requireServersDatabase(config);
    return status;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw told(error, config);
  }
}

/** Of a server that runs but cannot say how it is: which one, and what to do. */
function told(error: unknown, config: Config): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const server = readServerFile(config);
  const named = server ? `the server at ${server.url} (pid ${server.pid})` : 'the running server';
  if (code === 'ETIMEDOUT')
    return new CliError(exits.unreachable, 'TIMEOUT', `${named} does not answer`, {
      hint: 'appctl logs shows what it did last; restart the service, or end the process with kill',
    });
  if (error instanceof AppError && error.status === 500)
    return new CliError(exits.unreachable, 'UNREADABLE', `${named} cannot read its database: ${message}`, {
      hint: 'appctl doctor --category db',
    });
  return error;
}

async function lookInside(cli: Cli, { config }: LoadedConfig): Promise<Status> {
  const server = await callServer<ServerStatus>(socketPath(config), 'status');
  const [{ flushServer }, { withLocal }, { collectStatus }] = await Promise.all([
    import('../fresh.ts'),
    import('../open.ts'),
    import('../../app/status.ts'),
  ]);
  if (server) await flushServer(cli);
  const last = server ? null : readServerFile(config);
  return withLocal(
    cli,
    async (instance) => {
      const status = await collectStatus(instance, server);
      return last ? { ...status, warnings: [crashed(last), ...status.warnings.slice(1)] } : status;
    },
    'inspect',
  );
}

/** A server that ends in its own time takes its file away. */
const crashed = ({ pid, startedAt }: { pid: number; startedAt: string }): string => {
  const ago = lengthText((systemClock.epochMs() - Date.parse(startedAt)) / 1000);
  return `no server is running on this data directory: the last one (pid ${pid}, started ${ago} ago) was killed or crashed; appctl logs`;
};
