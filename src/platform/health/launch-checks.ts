import {
  type Check,
  type CheckScope,
  type Finding,
  fail,
  ok,
  onConfig,
  onSchema,
  skip,
  warn,
} from '#kernel/check.ts';
import { isFarAhead, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { isLoopback } from '#kernel/config/listen.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { ownersWithoutSecondFactor } from '../accounts/index.ts';
import type { FilesStanding } from '../backup/index.ts';
import { masterKeyKeptAt, readLastCopy, readServedAt } from '../installation/index.ts';

const MS_PER_DAY = 86_400_000;
const OLDEST_DAYS = 2;
/** Without a schedule somebody makes them by hand. */
const OLDEST_BY_HAND_DAYS = 7;

/** The newest backup, or copy of the database; one that somebody made in another way is not known. */
async function checkBackup(config: Config, { opened }: CheckScope): Promise<Finding> {
  const { newestBackup } = await import('../backup/index.ts');
  const backup = await newestBackup(config, opened?.current ? opened.ctx : null);
  const copy = await readLastCopy(config);
  const isByHand = config.backup.schedule === null;
  const known = [
    backup && { what: 'verified backup', at: backup.createdAt, target: backup.target, isByHand },
    copy && { what: 'copy', ...copy, isByHand: true },
  ].filter((one) => one !== null);
  const [newest] = known.sort((one, other) => other.at.localeCompare(one.at));
  const byHand = 'appctl backup create; appctl help back-up';
  if (newest === undefined)
    return warn('no backup of this installation is known: if the disk fails, every license is lost', byHand);
  const nowMs = systemClock.epochMs();
  const text = `the last ${newest.what} is of ${newest.at}, in ${newest.target}`;
  if (isFarAhead(newest.at, nowMs))
    return fail(
      `${text}: that is in the future, and hides how old the others are`,
      `correct the clock of this machine; if it is right, move ${newest.target} away, then: appctl backup create`,
    );
  const days = Math.floor((nowMs - Date.parse(newest.at)) / MS_PER_DAY);
  if (days <= (newest.isByHand ? OLDEST_BY_HAND_DAYS : OLDEST_DAYS)) return ok(text);
  const hint = isByHand ? byHand : 'appctl jobs history backup';
  return { ...warn(`${text}: ${counted(days, 'day')} old`, hint), isTrouble: true };
}

/** So long a change may wait for a place that is slow. */
const LONGEST_WAIT_MS = 60_000;

/** So long the first copy of many files may take, or one that is large. */
const LONGEST_FILES_MS = 3_600_000;
const WHY_FILES = 'the log says why: appctl logs --level error; many or large files take their time';

/** Bundles and pictures that a restore would not find. @returns null for none */
function filesFinding({ isCompared, waiting, since }: FilesStanding, dir: string): Finding | null {
  const waitMs = since === null ? 0 : systemClock.epochMs() - Date.parse(since);
  if (isCompared && waitMs <= LONGEST_WAIT_MS) return null;
  const verb = waiting === 1 ? 'is' : 'are';
  const text = isCompared
    ? `${counted(waiting, 'file')} ${verb} not in the stream in ${dir} yet; waiting since ${since}`
    : `bundles and pictures were not compared with the stream in ${dir} yet`;
  const finding = warn(text, WHY_FILES);
  return waitMs > LONGEST_FILES_MS ? { ...finding, isTrouble: true } : finding;
}

/** Whether what is committed leaves this machine, where that is wanted. */
async function checkStream(config: Config): Promise<Finding> {
  const { stream, dir } = config.backup;
  if (!stream) return skip('backup.stream is off: between two backups nothing leaves this machine');
  const { streamStanding } = await import('../backup/index.ts');
  const standing = await streamStanding(config);
  if (standing === null)
    return warn(
      'nothing was shipped yet: no server has run with backup.stream',
      'start the server: appctl serve',
    );
  const { from, at, waiting, files } = standing;
  if (waiting !== null && systemClock.epochMs() - Date.parse(waiting.since) > LONGEST_WAIT_MS) {
    const text = `changes since ${waiting.since} wait on this machine: they could not be stored in ${dir}`;
    return {
      ...warn(text, 'the log says why: appctl logs --level error; check the disk or the bucket'),
      isTrouble: true,
    };
  }
  if (from === null)
    return warn(
      'no moment can be restored yet: the first copy of the database is not stored',
      `check ${dir}`,
    );
  return (
    (files && filesFinding(files, dir)) ??
    ok(`any moment from ${from} on can be restored; the last change that was taken is of ${at}`)
  );
}

async function checkKept(ctx: Ctx, config: Config | null): Promise<Finding> {
  const at = await masterKeyKeptAt(ctx);
  if (at !== null) return ok(`the master key is also stored in a safe place, as confirmed at ${at}`);
  const place =
    config?.masterKey === undefined ? (config?.masterKeyFile ?? 'the master key') : 'the master key';
  return warn(
    `nobody has confirmed that ${place} is also stored in a safe place: without it no copy of the database can be read`,
    'copy it to a password manager or a safe, then run: appctl keys master --kept',
  );
}

/** Of a server that was told no base_url by the configuration, links have the address that it was started for. */
async function checkAddress(config: Config, { opened }: CheckScope): Promise<Finding> {
  const served = opened?.current && !config.baseUrlIsSet ? await readServedAt(opened.ctx) : null;
  if (served === null) return judgeAddress(config);
  return judgeAddress({ mode: config.mode, baseUrl: served.url, baseUrlIsSet: served.isSet });
}

/** Whether customers reach the address that is in links. */
export function judgeAddress({
  mode,
  baseUrl,
  baseUrlIsSet,
}: Pick<Config, 'mode' | 'baseUrl' | 'baseUrlIsSet'>): Finding {
  if (mode !== 'production') return skip('this is not a production server');
  const { protocol, hostname } = new URL(baseUrl);
  const hint = 'set APPCTL_BASE_URL=https://license.example.com, then restart the server';
  if (!baseUrlIsSet || isLoopback(hostname))
    return warn(
      `links in emails and on pages begin with ${baseUrl}, which only this machine can reach`,
      hint,
    );
  if (protocol !== 'https:') return warn(`${baseUrl} is not encrypted`, hint);
  return ok(baseUrl);
}

async function checkSecondFactor(ctx: Ctx): Promise<Finding> {
  const emails = await ownersWithoutSecondFactor(ctx);
  if (emails.length === 0) return ok('every owner signs in with two factors');
  const verb = emails.length === 1 ? 'signs' : 'sign';
  return warn(
    `${emails.join(', ')} ${verb} in with only a password and has full access`,
    `set it up at ${ctx.baseUrl}/admin/profile/two-factor`,
  );
}

/** What nobody notices until it is needed. */
export const launchChecks: readonly Check[] = [
  {
    id: 'keys.master-kept',
    title: 'second copy of the master key',
    launch: 'Store the master key in a safe place',
    run: onSchema((ctx, { config }) => checkKept(ctx, config)),
  },
  {
    id: 'db.backup-age',
    alert: 'installation',
    title: 'age of the last backup',
    launch: 'Back up the installation regularly',
    run: onConfig(checkBackup),
  },
  {
    id: 'db.backup-stream',
    alert: 'installation',
    isAdvice: true,
    title: 'stream of backups',
    run: onConfig(checkStream),
  },
  {
    id: 'config.public-address',
    title: 'public address',
    launch: 'Serve over HTTPS under your own address',
    run: onConfig(checkAddress),
  },
  {
    id: 'admin.two-factor',
    title: 'two-factor sign-in for owners',
    launch: 'Turn on two-factor sign-in for owners',
    run: onSchema(checkSecondFactor),
  },
];
