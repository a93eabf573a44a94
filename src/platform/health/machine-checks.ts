import { chmodSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Check, type Finding, fail, ok, onConfig, onDatabase, skip, warn } from '#kernel/check.ts';
import { isBeforeEpoch, isoTime, sleep, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { parseStorageUrl } from '#kernel/config/storage-url.ts';
import { serverClockMs } from '#kernel/db/condition.ts';
import { disks, freeBytes, RESERVE_BYTES } from '#kernel/storage/room.ts';

const MEBIBYTE = 1_048_576;
const MAX_SKEW_MS = 1000;
const NODE_VERSION = [24, 15] as const;

/** Whether a Node version such as `v24.21.0` is one that the program was made for. */
export function judgeNodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const enough = major > NODE_VERSION[0] || (major === NODE_VERSION[0] && minor >= NODE_VERSION[1]);
  if (enough) return ok(`Node ${version}`);
  return fail(
    `Node ${version} is older than ${NODE_VERSION.join('.')}: the database driver crashes on it`,
    'install Node 24, or use the executable',
  );
}

/** A folder that the server writes to. */
interface WrittenFolder {
  readonly path: string;
  readonly words: string;
  /** What is refused while its disk has less than the reserve. */
  readonly refused: string;
  /** What happens when nothing is left. */
  readonly full: string;
  readonly cure: string;
}

const DATA: Omit<WrittenFolder, 'path'> = {
  words: 'the data directory',
  refused: 'uploads, imports and backups are refused, and ',
  full: 'on a full disk every write fails',
  cure: 'move the data directory to a larger disk',
};

/** The folders that uploads are judged by: the data directory, and those of bundles and pictures on this machine. */
function writtenFolders({ dataDir, storage }: Config): readonly WrittenFolder[] {
  const { url, bundlesDir, mediaDir } = storage;
  const folders = [{ ...DATA, path: dataDir }];
  if (parseStorageUrl(url) !== null) return folders;
  const kept = (path: string, what: string, key: string): WrittenFolder => ({
    path,
    words: path,
    refused: '',
    full: `${what} cannot be uploaded below ${RESERVE_BYTES / MEBIBYTE} MiB`,
    cure: `set ${key} to a larger disk`,
  });
  return [
    ...folders,
    kept(bundlesDir, 'bundles', 'storage.bundles_dir'),
    kept(mediaDir, 'pictures and files', 'storage.media_dir'),
  ];
}

/** @param bytes free on the file system of a folder */
export function judgeFreeDisk(bytes: number, folder: Omit<WrittenFolder, 'path'> = DATA): Finding {
  const text = `${Math.floor(bytes / MEBIBYTE)} MiB free on the disk of ${folder.words}`;
  if (bytes >= 1024 * MEBIBYTE) return ok(text);
  const hint = `free up space, or ${folder.cure}`;
  if (bytes >= RESERVE_BYTES) return warn(`${text}: ${folder.full}`, hint);
  return fail(`${text}: ${folder.refused}${folder.full}`, hint);
}

/** One disk that is written to. */
interface WrittenDisk {
  readonly folder: WrittenFolder;
  /** Null where it does not respond. */
  readonly disk: { readonly id: number; readonly bytes: number } | null;
}

/** A folder of another machine may hang with that machine: nobody waits for it. */
const PATIENCE_MS = 5000;

async function look(folder: WrittenFolder): Promise<WrittenDisk> {
  const looked = Promise.all([diskIdOf(folder.path), freeBytes(folder.path)]);
  const disk = await Promise.race([looked, sleep(PATIENCE_MS).then(() => null)]);
  return { folder, disk: disk && { id: disk[0], bytes: disk[1] } };
}

/** Of the nearest folder above a path that exists. */
const diskIdOf = async (path: string): Promise<number> =>
  disks.idOf(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
    return diskIdOf(dirname(path));
  });

/** Every disk that is written to, by the first folder on it; what the worst of them say. */
async function judgeFolders(config: Config): Promise<Finding> {
  const looked = await Promise.all(writtenFolders(config).map(look));
  const findings = looked
    .filter(({ disk }, i) => disk === null || looked.findIndex((one) => one.disk?.id === disk.id) === i)
    .map(judgeDisk);
  const worst = (['fail', 'warn', 'ok', 'skip'] as const).find((status) =>
    findings.some((one) => one.status === status),
  );
  const shown = findings.filter(({ status }) => status === worst);
  const [first = skip('nothing is written')] = shown;
  return { ...first, message: shown.map(({ message }) => message).join('; ') };
}

function judgeDisk({ folder, disk }: WrittenDisk): Finding {
  if (disk === null)
    return fail(
      `the disk of ${folder.words} does not respond`,
      'check the machine or the network that it is on',
    );
  if (disk.bytes === Number.POSITIVE_INFINITY) return skip('the disk does not report its size');
  return judgeFreeDisk(disk.bytes, folder);
}

/** @param bytes that this process may still take */
export function judgeFreeMemory(bytes: number): Finding {
  const text = `${Math.floor(bytes / MEBIBYTE)} MiB of memory available`;
  if (bytes >= 192 * MEBIBYTE) return ok(text);
  return warn(`${text}: the server needs about 130 MiB`, 'give the machine or the container more memory');
}

/** @param userId of this process; @param ownerId of the data directory, undefined when it is missing */
export function judgeUser(userId: number | undefined, ownerId: number | undefined): Finding {
  if (userId !== 0) return ok('runs as an ordinary user');
  if (ownerId !== undefined && ownerId !== 0) return ok('root becomes the owner of the data directory');
  return warn(
    'runs as root: a security hole in the program would expose the whole machine',
    'give the data directory to a user of its own: chown -R appctl DATA_DIR',
  );
}

/** @param newestMs of the last migration; @param serverMs of the database server's clock, null where it has none */
export function checkClock(nowMs: number, newestMs: number, serverMs: number | null): Finding {
  if (isBeforeEpoch(nowMs))
    return fail(`the clock says ${isoTime(nowMs)}, before 1970: nothing can be created`, NTP);
  if (serverMs !== null && Math.abs(serverMs - nowMs) > MAX_SKEW_MS) {
    const seconds = ((nowMs - serverMs) / 1000).toFixed(1);
    return fail(
      `this clock differs from the database server's by ${seconds} s: leases expire at the wrong time`,
      NTP,
    );
  }
  if (newestMs > nowMs + MAX_SKEW_MS) {
    return fail(
      `the database was changed at ${isoTime(newestMs)}, which is in the future of this clock`,
      NTP,
    );
  }
  return ok('the clock agrees with the database');
}

const NTP = 'turn on time synchronization: timedatectl set-ntp true';

/** Folders and files that nobody else may enter or read, with those bits of their mode that are too many. */
function openToOthers({ dataDir, masterKeyFile }: Config): { path: string; mode: number; wanted: number }[] {
  const wanted = [
    { path: dataDir, wanted: 0o700 },
    { path: join(dataDir, 'run'), wanted: 0o700 },
    { path: masterKeyFile, wanted: 0o600 },
  ];
  return wanted.flatMap((one) => {
    const info = lstatSync(one.path, { throwIfNoEntry: false });
    if (!info || info.isSymbolicLink() || (info.mode & 0o077) === 0) return [];
    return [{ ...one, mode: info.mode & 0o777 }];
  });
}

export const machineChecks: readonly Check[] = [
  { id: 'env.node-version', title: 'Node version', run: () => judgeNodeVersion(process.version) },
  {
    id: 'env.disk-space',
    alert: 'server',
    title: 'free disk space',
    run: onConfig(judgeFolders),
  },
  { id: 'env.memory', title: 'free memory', run: () => judgeFreeMemory(process.availableMemory()) },
  {
    id: 'env.clock-skew',
    title: 'clock',
    alert: 'server',
    run: onDatabase(async ({ database, migrator }) => {
      const { applied } = await migrator.status();
      const newest = Math.max(0, ...applied.map((step) => Date.parse(step.at)));
      const serverMs = await serverClockMs(database);
      return checkClock(systemClock.epochMs(), newest, serverMs);
    }),
  },
  {
    id: 'env.file-permissions',
    title: 'data directory and master key are private',
    run: onConfig((config) => {
      if (process.platform === 'win32') return skip('this system has no file permissions');
      const open = openToOthers(config);
      if (open.length === 0) return ok('nobody else can open the data directory or read the master key');
      const named = open.map(({ path, mode }) => `${path} (mode ${mode.toString(8)})`).join(', ');
      const hint = open.map(({ path, wanted }) => `chmod ${wanted.toString(8)} ${path}`).join(' && ');
      return fail(`others can open or read ${named}`, hint);
    }),
    fix: ({ config }) => {
      for (const { path, wanted } of config ? openToOthers(config) : []) chmodSync(path, wanted);
    },
  },
  {
    id: 'env.running-as-root',
    title: 'user of the process',
    isAdvice: true,
    run: onConfig(({ dataDir }) =>
      judgeUser(process.getuid?.(), lstatSync(dataDir, { throwIfNoEntry: false })?.uid),
    ),
  },
];
