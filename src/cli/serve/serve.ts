import { accessSync, constants, rmSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildInfo } from '#kernel/build-info.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { servingProblems } from '#kernel/config/serving.ts';
import { type AdminSocket, openAdminSocket } from '#kernel/http/admin-socket.ts';
import { recentLog } from '#kernel/log-ring.ts';
import { releaseMemory, releaseWhenQuiet } from '#kernel/memory-release.ts';
import { setNativeBase } from '#kernel/native.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { openServerLog, type ServerLog } from '#kernel/server-log.ts';
import { findOwner, issueSetupLink } from '#platform/accounts/index.ts';
import { foreignAddress } from '../../app/address-failure.ts';
import { adminCommands } from '../../app/admin-commands.ts';
import { backUpHere } from '../../app/backup/scheduled.ts';
import { type Instance, openInstance } from '../../app/instance.ts';
import { prepareRunFolder, removeServerFile, socketPath, writeServerFile } from '../../app/run-files.ts';
import { type Running, readTlsFiles, serve } from '../../app/serve.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, usageError } from '../frame/errors.ts';
import { wantsColor } from '../frame/io.ts';
import { untilSignal } from './signals.ts';

/** `appctl serve`: returns when the server was told to stop and has. */
export async function runServer(cli: Cli): Promise<void> {
  const loaded = await cli.config();
  const { config } = loaded;
  requireOneProcess(config);
  requireEncryption(config);
  requirePidFolder(cli.option('pid-file'));
  const tls = readTlsFiles(config);
  const { stderr } = cli.io;
  const color = wantsColor(stderr, cli.io.env, cli.flag('no-color'));
  const serverLog = openServerLog(config.log, 2, { isTty: stderr.isTTY === true, color });
  const claim: { socket: AdminSocket | null } = { socket: null };
  try {
    const beforeDatabase = async () => {
      setNativeBase(join(config.dataDir, 'native'));
      claim.socket = await claimDataDirectory(config, serverLog);
    };
    const { log } = serverLog;
    const fresh = cli.flag('fresh');
    const instance = await openInstance({
      config,
      log,
      mode: 'prepare',
      serves: true,
      beforeDatabase,
      fresh,
    });
    instance.ctx.memory.of(recentLog).ring = serverLog.ring;
    backUpHere(instance, loaded.files);
    const running = await serve(instance, loaded, tls).catch(async (error: unknown) => {
      await instance.close();
      throw error;
    });
    claim.socket?.answer(adminCommands(instance, running));
    await serveUntilSignal(cli, instance, running, serverLog, claim.socket);
  } finally {
    await claim.socket?.close();
    await serverLog.drain();
  }
}

/** @throws ConfigError for more than one process */
function requireOneProcess({ workers }: Config): void {
  if (workers === 1) return;
  const message = `this version runs one process, not ${workers}`;
  const hint = 'set workers to 1; several servers on one Postgres database share its work';
  throw new ConfigError([{ key: 'workers', message, hint }]);
}

/** @throws ConfigError for an address that other machines reach over plain HTTP */
function requireEncryption(config: Config): void {
  const problems = servingProblems(config);
  if (problems.length === 0) return;
  throw config.listen.map(foreignAddress).find((one) => one !== null) ?? new ConfigError(problems);
}

/** The file is written once the server listens; that it cannot be is found out before. @throws usage error (2) */
function requirePidFolder(file: string | undefined): void {
  if (file === undefined) return;
  const folder = dirname(resolve(file));
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`--pid-file: ${folder} cannot be written (${code})`, 'choose a file in another folder');
  }
}

/**
 * Takes the admin socket: it tells that a server works on this data directory. A SQLite file belongs to one server;
 * several may share a Postgres database, also from one data directory, and then the first has the socket.
 *
 * @throws CliError (5) when a server runs on the same SQLite data directory
 */
async function claimDataDirectory(config: Config, { log }: ServerLog): Promise<AdminSocket | null> {
  prepareRunFolder(config);
  const path = socketPath(config);
  try {
    return await openAdminSocket(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (config.database.url.startsWith('sqlite:')) {
      const hint = 'appctl status shows it; stop it, or choose another directory with --data-dir';
      throw conflictError(`a server is already running on ${config.dataDir}`, hint);
    }
    log.warn({ path }, 'another server on this data directory uses the admin socket');
    return null;
  }
}

async function serveUntilSignal(
  cli: Cli,
  instance: Instance,
  running: Running,
  serverLog: ServerLog,
  socket: AdminSocket | null,
): Promise<void> {
  const { config, ctx } = instance;
  const { log } = serverLog;
  const pidFile = cli.option('pid-file');
  const backUp = () => running.scheduler.start(ctx, 'backup');
  const stopped = untilSignal({ log, backUp, reload: () => reload(cli, instance, serverLog) });
  if (socket) writeServerFile(config, serverFileOf(config, running, socket.path, ctx.now()));
  try {
    if (pidFile !== undefined) writePrivateFile(pidFile, `${process.pid}\n`);
    releaseMemory();
    releaseWhenQuiet();
    await announce(cli, instance, running, serverLog);
    log.info({ urls: running.urls, applied: instance.applied.length }, 'listening');
    log.info({ signal: await stopped }, 'stopping');
  } finally {
    await running.stop().finally(() => {
      if (socket) removeServerFile(config);
      if (pidFile !== undefined) rmSync(pidFile, { force: true });
    });
  }
  log.info('stopped');
}

const serverFileOf = (config: Config, running: Running, socket: string, startedAt: string) => ({
  pid: process.pid,
  database: maskUrlPassword(config.database.url),
  isDevelopment: config.mode === 'development',
  url: running.localUrl,
  urls: running.urls,
  socket,
  version: buildInfo().version,
  startedAt,
});

/** The ready lines (cli.md section 6.1), or with --json the first line of the stream; the log follows it there. */
async function announce(cli: Cli, instance: Instance, running: Running, serverLog: ServerLog): Promise<void> {
  const { urls, localUrl, baseUrl } = running;
  const setupUrl = await setupLinkOf(instance, baseUrl);
  const event = { event: 'listening', url: localUrl, urls, baseUrl, pid: process.pid, setupUrl };
  const { readyLines } = await import('./ready-lines.ts');
  const isFirst = instance.applied.length > 0 && setupUrl !== null;
  cli.out.record(event, readyLines(cli, instance, { urls, localUrl, baseUrl, setupUrl, isFirst }));
  if (cli.json) serverLog.moveTo(1);
  const readyFd = cli.integer('ready-fd');
  if (readyFd !== undefined) tellReady(readyFd, localUrl);
}

/** Each start of an installation without an owner makes another link. A browser opens none of a Unix socket. */
async function setupLinkOf({ ctx }: Instance, baseUrl: string): Promise<string | null> {
  if (!baseUrl.startsWith('http') || (await findOwner(ctx))) return null;
  return (await issueSetupLink(ctx)).url;
}

/** @throws usage error (2) for a descriptor that the caller did not open */
function tellReady(fd: number, url: string): void {
  try {
    writeSync(fd, `${url}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`--ready-fd ${fd} cannot be written (${code})`, `open it in the shell: ${fd}>FILE`);
  }
}

/** SIGHUP: the log file is opened anew, the log level and the settings are read anew. */
async function reload(cli: Cli, { ctx, settings }: Instance, serverLog: ServerLog): Promise<void> {
  serverLog.reopen();
  const { loadConfig } = await import('#kernel/config/load.ts');
  const { config } = await loadConfig(cli.configInput());
  serverLog.setLevel(config.log.level);
  await settings.refresh(ctx);
  serverLog.log.info('configuration reloaded');
}
