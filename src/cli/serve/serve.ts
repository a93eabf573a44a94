import { accessSync, constants, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildInfo } from '#kernel/build-info.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { servingProblems } from '#kernel/config/serving.ts';
import { type Handover, type Places, placesOf, readHandover } from '#kernel/http/inherited-sockets.ts';
import type { Certificate } from '#kernel/http/server.ts';
import { recentLog } from '#kernel/log-ring.ts';
import { releaseWhenQuiet } from '#kernel/memory-release.ts';
import { setNativeBase } from '#kernel/native.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { openServerLog, type ServerLog } from '#kernel/server-log.ts';
import { readServedAt } from '#platform/installation/index.ts';
import { foreignAddress } from '../../app/address-failure.ts';
import { restoreAfterwards, restoreHere } from '../../app/backup/restore-here.ts';
import { backUpHere } from '../../app/backup/scheduled.ts';
import { type Instance, openInstance } from '../../app/instance.ts';
import { removeServerFile, writeServerFile } from '../../app/run-files.ts';
import type { Running } from '../../app/serve.ts';
import { serveSoon } from '../../app/serve-soon.ts';
import type { SuccessorWord } from '../../app/successor.ts';
import { readTlsFiles } from '../../app/tls.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits, toFailure } from '../frame/exits.ts';
import { wantsColor } from '../frame/io.ts';
import { Claim } from './claim.ts';
import { type Stopping, SUCCEEDED, untilSignal } from './signals.ts';

/** `appctl serve`: returns when the server was told to stop and has. */
export async function runServer(cli: Cli): Promise<void> {
  const handover = readHandover(cli.io.env);
  try {
    await runPrepared(cli, handover);
    const { config, files } = await cli.config();
    await restoreAfterwards(config, files);
  } catch (error) {
    if (handover) {
      const { message, hint } = toFailure(error);
      tellPredecessor(handover, { ready: false, message, hint });
    }
    throw error;
  }
}

async function runPrepared(cli: Cli, handover: Handover | null): Promise<void> {
  const loaded = await cli.config();
  const { config } = loaded;
  const { listen, redirectListen: redirect } = config;
  const places = placesOf({ listen, redirect }, cli.io.env);
  requireEncryption(config, places);
  requirePidFolder(cli.option('pid-file'));
  const tls = await readTlsFiles(config);
  const { stderr } = cli.io;
  const color = wantsColor(stderr, cli.io.env, cli.flag('no-color'));
  const serverLog = openServerLog(config.log, 2, { isTty: stderr.isTTY === true, color });
  const { log } = serverLog;
  if (places.isComplete && loaded.entries.listen.source !== 'default')
    log.info('systemd passes the sockets: the configured addresses are not used');
  const claim = new Claim(config, log, places.isInherited);
  try {
    const beforeDatabase = async () => {
      setNativeBase(join(config.dataDir, 'native'));
      await claim.take();
    };
    const fresh = cli.flag('fresh');
    const succeeds = () => claim.follows;
    const instance = await openInstance({
      config,
      log,
      mode: 'prepare',
      serves: true,
      succeeds,
      beforeDatabase,
      fresh,
    });
    instance.ctx.memory.of(recentLog).ring = serverLog.ring;
    backUpHere(instance, loaded.files);
    restoreHere(instance);
    // A first start that found its port taken has made the installation, but welcomed nobody.
    const isNew = (await readServedAt(instance.ctx)) === null;
    const { stopping, serves } = heedSignals(cli, instance, serverLog);
    const running = await serveOpened(instance, loaded, { claim, places, tls, serverLog });
    serves(running);
    await serveUntilSignal(cli, instance, running, { serverLog, claim, handover, stopping, isNew });
  } finally {
    await claim.close();
    await serverLog.drain();
  }
}

async function serveOpened(
  instance: Instance,
  loaded: LoadedConfig,
  { claim, serverLog, ...sockets }: Pick<Parts, 'claim' | 'serverLog'> & Sockets,
): Promise<Running> {
  try {
    const follows = await claim.predecessor();
    const leading = { loaded, serverLog };
    const { isInherited } = sockets.places;
    return await serveSoon(instance, loaded, {
      ...sockets,
      isInherited,
      leading,
      ...(follows && { follows }),
    });
  } catch (error) {
    await instance.close();
    throw error;
  }
}

/** @throws ConfigError for an address that other machines reach over plain HTTP */
function requireEncryption(config: Config, { places }: Places): void {
  // What an inherited socket listens on shows only then.
  const listen = places.flatMap(({ address, fd, isRedirect }) =>
    fd === null && !isRedirect ? [address] : [],
  );
  const problems = servingProblems(config, listen);
  if (problems.length === 0) return;
  throw listen.map(foreignAddress).find((one) => one !== null) ?? new ConfigError(problems);
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

interface Sockets {
  readonly places: Places;
  readonly tls: Certificate | undefined;
}

/** What a server has beside its installation. */
interface Parts {
  readonly serverLog: ServerLog;
  readonly claim: Claim;
  readonly handover: Handover | null;
  readonly stopping: Stopping;
  /** No server has reached this installation yet. */
  readonly isNew: boolean;
}

/** A server that was told to stop while it was starting, and does not come to serve. */
const LONGEST_ENDING_MS = 15_000;

/** Signals that come before it serves wait until it does: somebody may have been told to wait already. */
function heedSignals(
  cli: Cli,
  instance: Instance,
  serverLog: ServerLog,
): { stopping: Stopping; serves(running: Running): void } {
  const { promise: served, resolve: serves } = Promise.withResolvers<Running>();
  const stopping = untilSignal({
    log: serverLog.log,
    backUp: async () => (await served).scheduler.start(instance.ctx, 'backup'),
    reload: async () => reload(cli, instance, await served, serverLog),
  });
  let isServing = false;
  const giveUp = (): void => {
    if (isServing) return;
    serverLog.log.error('the server did not start before it had to stop');
    process.exit(exits.unexpected);
  };
  void stopping.signal.then(() => setTimeout(giveUp, LONGEST_ENDING_MS).unref());
  return {
    stopping,
    serves(running) {
      isServing = true;
      serves(running);
    },
  };
}

async function serveUntilSignal(
  cli: Cli,
  instance: Instance,
  running: Running,
  { serverLog, claim, handover, stopping, isNew }: Parts,
): Promise<void> {
  const { config, ctx } = instance;
  const { log } = serverLog;
  const { adminCommands } = await import('../../app/admin-commands.ts');
  const pidFile = cli.option('pid-file');
  claim.answer(adminCommands(instance, running, stopping.end), (socket) => {
    writeServerFile(config, serverFileOf(config, running, socket.path, ctx.now()));
    running.lead();
  });
  let signal = '';
  try {
    if (pidFile !== undefined) writePrivateFile(pidFile, `${process.pid}\n`);
    releaseWhenQuiet();
    // What a successor says of itself counts only when it can work.
    if (handover) await Promise.all([instance.database.ping(), running.complete()]);
    await announce(cli, instance, running, { serverLog, isNew });
    if (handover) tellPredecessor(handover, { ready: true, pid: process.pid });
    const { redirects } = running.listening;
    const more = redirects.length > 0 ? { redirects } : {};
    log.info({ urls: running.urls, ...more, applied: instance.applied.length }, 'listening');
    signal = await stopping.signal;
    log.info({ signal }, 'stopping');
  } finally {
    await running.stop().finally(() => {
      // A successor serves at the same addresses, and writes its own file once this process has ended.
      if (claim.hasSocket && signal !== SUCCEEDED) removeServerFile(config);
      if (pidFile !== undefined) removePidFile(pidFile);
    });
  }
  log.info('stopped');
}

/** A successor may have written its own id. */
function removePidFile(file: string): void {
  if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim() === String(process.pid))
    rmSync(file, { force: true });
}

function tellPredecessor({ readyFd }: Handover, word: SuccessorWord): void {
  try {
    writeSync(readyFd, `${JSON.stringify(word)}\n`);
  } catch {
    // It has ended, or was told before: what failed is in the log.
  }
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
async function announce(
  cli: Cli,
  instance: Instance,
  running: Running,
  { serverLog, isNew }: Pick<Parts, 'serverLog' | 'isNew'>,
): Promise<void> {
  const { urls, localUrl, baseUrl } = running;
  const setupUrl = await setupLinkOf(instance, baseUrl);
  const event = { event: 'listening', url: localUrl, urls, baseUrl, pid: process.pid, setupUrl };
  const { readyLines } = await import('./ready-lines.ts');
  const isFirst = isNew && setupUrl !== null;
  cli.out.record(event, readyLines(cli, instance, { urls, localUrl, baseUrl, setupUrl, isFirst }));
  if (cli.json) serverLog.moveTo(1);
  const readyFd = cli.integer('ready-fd');
  if (readyFd !== undefined) tellReady(readyFd, localUrl);
}

/** Each start of an installation without an owner makes another link. A browser opens none of a Unix socket. */
async function setupLinkOf({ ctx }: Instance, baseUrl: string): Promise<string | null> {
  const { findOwner, issueSetupLink } = await import('#platform/accounts/index.ts');
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

/** SIGHUP: the log file is opened anew, the certificate, the log level and the settings are read anew. */
async function reload(
  cli: Cli,
  { ctx, settings }: Instance,
  running: Running,
  serverLog: ServerLog,
): Promise<void> {
  serverLog.reopen();
  running.reloadCertificate();
  const { loadConfig } = await import('#kernel/config/load.ts');
  const { config } = await loadConfig(cli.configInput());
  serverLog.setLevel(config.log.level);
  await running.reloadOthers(config.log.level);
  await settings.refresh(ctx);
  serverLog.log.info('configuration reloaded');
}
