import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import {
  type Check,
  type CheckScope,
  type Finding,
  fail,
  type OpenedDatabase,
  ok,
  onConfig,
  onSchema,
  skip,
  warn,
} from '#kernel/check.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { formatListenAddress, type ListenAddress } from '#kernel/config/listen.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import type { Ctx } from '#kernel/context.ts';
import { isMissingDatabase } from '#kernel/db/connect.ts';
import type { Database } from '#kernel/db/database.ts';
import { freeLostLeases, list as listJobs } from '#kernel/jobs/repository.ts';
import { zoneName } from '#kernel/local-time.ts';
import { findOwner } from '../accounts/index.ts';
import {
  foreignHint,
  foreignMessage,
  LOST_HINT,
  leftBehindProblem,
  leftDatabaseProblem,
  lostMessage,
  otherCopy,
  readInstallationFile,
  readInstallationId,
  readMasterKeyId,
  traceOfInstallation,
} from '../installation/index.ts';

/** A lease is renewed each second; one that ended so long ago belongs to a process that died. */
const LOST_SECONDS = 60;
const OVERDUE_SECONDS = 3600;

async function checkJobs(ctx: Ctx, { serverRuns, servedJobs }: CheckScope): Promise<Finding> {
  const jobs = (await listJobs(ctx)).filter((job) => job.enabled && servedJobs.has(job.name));
  const failed = jobs.filter((job) => job.lastStatus === 'failed');
  const [first] = failed;
  if (first) {
    const named = failed.map((job) => `${job.name} (${job.lastError ?? 'no reason given'})`).join(', ');
    return {
      ...fail(`the last run failed: ${named}`, `appctl jobs run ${first.name} --wait`),
      subjects: failed.map(({ name, lastError }) => ({
        id: name,
        message: `the job ${name} failed: ${lastError ?? 'no reason given'}`,
        hint: `appctl jobs history ${name}`,
      })),
    };
  }
  const overdue = jobs.filter((job) => job.nextDue < addSeconds(ctx.now(), -OVERDUE_SECONDS));
  if (overdue.length === 0 || !serverRuns) return ok(`${jobs.length} jobs, no last run failed`);
  const names = overdue.map((job) => job.name).join(', ');
  return warn(
    `not run for over an hour although a server is running: ${names}`,
    'restart the server without --no-jobs',
  );
}

async function checkLeases(ctx: Ctx): Promise<Finding> {
  const before = addSeconds(ctx.now(), -LOST_SECONDS);
  const lost = (await listJobs(ctx)).filter((job) => job.lockedUntil !== null && job.lockedUntil < before);
  if (lost.length === 0) return ok('no job is held by a process that died');
  const named = lost.map((job) => `${job.name} (${job.lockOwner})`).join(', ');
  return warn(`held by a process that died: ${named}`, 'appctl doctor --fix');
}

/** The key itself, and that the database was sealed with it. */
async function checkMasterKey(
  config: Config,
  opened: { ctx: Ctx; current: boolean } | null,
  failure: unknown,
) {
  if (failure instanceof ConfigError && failure.problems[0]?.key !== 'database.url') {
    return fail(
      failure.message,
      failure.problems[0]?.hint ?? 'restore the master key file of this installation',
    );
  }
  if (!opened?.current) return skip('no database can be reached to tell which key it uses');
  const stored = await readMasterKeyId(opened.ctx);
  const where = config.masterKey === undefined ? config.masterKeyFile : 'secret.master_key';
  if (config.masterKey === undefined && !existsSync(config.masterKeyFile)) {
    const why = stored === null ? '' : `; the database belongs to key ${stored}`;
    return fail(
      `master key ${where} was not found${why}`,
      'restore the key file, or run appctl setup to create a new key',
    );
  }
  const { keyId } = opened.ctx.keyring;
  if (stored === null) return warn('the database is not linked to a master key yet', 'appctl setup');
  if (stored === keyId) return ok(`master key ${keyId} is that of the database`);
  return fail(
    `the database belongs to master key ${stored}, ${where} is ${keyId}: no secret can be read`,
    'restore the master key file of this database',
  );
}

async function isEmpty(opened: OpenedDatabase | null): Promise<boolean> {
  const status = await opened?.migrator.status();
  return status?.applied.length === 0 && status.unknown.length === 0;
}

/** Whether the database is the one that was served from this data directory. */
async function checkInstallation(config: Config, opened: OpenedDatabase | null): Promise<Finding> {
  const trace = traceOfInstallation(config);
  if (trace === null) return ok('no server has used this data directory yet');
  const url = maskUrlPassword(config.database.url);
  const isMissing = isMissingDatabase(config.database.url);
  const left = isMissing || (await isEmpty(opened)) ? await leftBehindProblem(config) : null;
  if (left) return fail(left.message, left.hint);
  if (isMissing) return fail(lostMessage(trace, url, 'missing'), LOST_HINT);
  if (!opened) return skip('no database can be reached to tell which installation it holds');
  if (await isEmpty(opened)) return fail(lostMessage(trace, url, 'empty'), LOST_HINT);
  if (!opened.current) return skip('migrate the database first');
  const file = readInstallationFile(config);
  const id = await readInstallationId(opened.ctx);
  if (file === null) return warn('the installation file is missing from the data directory', WRITE_HINT);
  if (id === null) return fail(lostMessage(trace, url, 'empty'), LOST_HINT);
  if (file.id === id) return checkPlace(config, opened.database, id);
  if (file.id === undefined) return warn('the installation file cannot be read', WRITE_HINT);
  return fail(foreignMessage(url, id, file.id), foreignHint(config.dataDir));
}

/** Whether it is the database in which the installation is now, and the only one that is served. */
async function checkPlace(config: Config, database: Database, id: string): Promise<Finding> {
  const left = await leftDatabaseProblem(config, database, id);
  if (left) return fail(left.message, left.hint);
  const other = await otherCopy(config, database);
  return other ? warn(other.message, other.hint) : ok(`${id} is the installation of this data directory`);
}

const WRITE_HINT = 'restart the server to write the file again';

/** @returns the code of the failure when nobody can listen on the address, else null */
function tryListening(address: ListenAddress): Promise<string | null> {
  if (address.kind !== 'tcp' || address.port === 0) return Promise.resolve(null);
  const host = address.host === null ? {} : { host: address.host };
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port: address.port, ...host, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

async function checkPorts({ listen }: Config): Promise<Finding> {
  const found = await Promise.all(
    listen.map(async (address) => ({
      text: formatListenAddress(address),
      code: await tryListening(address),
    })),
  );
  const taken = found.filter(({ code }) => code !== null);
  if (taken.length === 0) return ok(`${found.map(({ text }) => text).join(', ')} is available`);
  const named = taken.map(({ text, code }) => `${text} (${code})`).join(', ');
  return fail(
    `is not available: ${named}`,
    'stop the other program, or choose another address with --listen',
  );
}

/**
 * Whoever writes 3 in the morning means the clock on the wall.
 *
 * @param isSet somebody chose it; @param ofMachine name of the zone of this computer
 */
export function judgeTimeZone(zone: string, isSet: boolean, ofMachine: string): Finding {
  const isUtc = /^(?:Etc\/)?(?:UTC|GMT|Universal|Zulu|UCT)$/.test(ofMachine);
  if (isSet || isUtc || zone === ofMachine) return ok(`schedules are in ${zone}`);
  return warn(
    `schedules such as that of backups are in ${zone}, and this machine is in ${ofMachine}`,
    `set jobs.timezone (APPCTL_JOBS_TIMEZONE) to ${ofMachine}, or to UTC to keep it`,
  );
}

export const serviceChecks: readonly Check[] = [
  {
    id: 'keys.master-key',
    title: 'master key',
    run: onConfig((config, { opened, failure }) => checkMasterKey(config, opened, failure)),
  },
  {
    id: 'db.installation',
    title: 'the database belongs to this data directory',
    run: onConfig((config, { opened }) => checkInstallation(config, opened)),
  },
  {
    id: 'jobs.last-run',
    alert: 'installation',
    title: 'last job runs',
    run: onSchema(checkJobs),
  },
  {
    id: 'jobs.stuck',
    title: 'jobs held by processes that died',
    run: onSchema(checkLeases),
    async fix({ opened }) {
      if (!opened?.current) return;
      await opened.ctx.tx((ctx) => freeLostLeases(ctx, addSeconds(ctx.now(), -LOST_SECONDS)));
    },
  },
  {
    id: 'jobs.time-zone',
    title: 'time zone of schedules',
    isAdvice: true,
    run: onConfig((config, { entries }) =>
      judgeTimeZone(config.jobs.timeZone, entries['jobs.timezone']?.source !== 'default', zoneName()),
    ),
  },
  {
    id: 'admin.owner-exists',
    title: 'owner account',
    launch: 'Create the owner account',
    run: onSchema(async (ctx) => {
      const owner = await findOwner(ctx);
      return owner
        ? ok(owner.email)
        : warn('this installation has no owner yet', 'appctl setup --owner-email you@example.com');
    }),
  },
  {
    id: 'net.port-in-use',
    title: 'listen addresses',
    run: onConfig((config, { serverRuns }) =>
      serverRuns ? ok('the server of this data directory is listening') : checkPorts(config),
    ),
  },
];
