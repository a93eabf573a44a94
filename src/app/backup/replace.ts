import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Keyring } from '#kernel/crypto.ts';
import { findDrift } from '#kernel/db/drift.ts';
import { dropSchema } from '#kernel/db/schema.ts';
import { damaged, type Manifest, type Opening, type Sealing, stampOf } from '#platform/backup/index.ts';
import { endAll } from '#platform/sessions/index.ts';
import { copyInstallation } from '../copy-installation.ts';
import { openTarget } from '../copy-target.ts';
import { atDatabase, inspected, rebuildIndexes } from '../inspected.ts';
import { migrations } from '../migrations.ts';
import { checkImage } from './check-image.ts';
import { countTables, migratorOf, openImage } from './image.ts';
import type { BackupWatcher } from './options.ts';
import { beginSwap, finishSwap, prepareDatabase, type Swap } from './swap.ts';
import { sqliteFileOf } from './target.ts';

/** What replaces a database needs to know. */
export interface Replacing {
  readonly config: Config;
  readonly configFile: string | null;
  /** Name of the backup, for messages. */
  readonly name: string;
  /** Text of a master key that was given. */
  readonly masterKey: string | null;
  readonly opening: Opening | null;
  /** For the backup of what is there now. */
  readonly sealing: Sealing | null;
  readonly watcher: BackupWatcher;
}

/** Brings an image to the schema of this program, and ends the sessions in it. */
export async function readyImage(
  config: Config,
  image: string,
  { database, tables }: Pick<Manifest, 'database' | 'tables'>,
  keyring: Keyring | null,
): Promise<void> {
  const opened = await openImage(image);
  try {
    const migrator = migratorOf(opened, systemClock);
    await migrator.up();
    const { applied } = await migrator.status();
    const names = new Set(applied.map(({ name }) => name));
    const [drift] = await findDrift(
      opened,
      migrations.filter(({ name }) => names.has(name)),
    );
    if (drift)
      throw damaged(
        `the database in the backup has another schema than appctl makes: ${drift.line.slice(0, 200)}`,
      );
    await endAll(opened);
    await checkImage(opened, { tables: await countTables(opened), clock: systemClock, keyring });
  } finally {
    await opened.close();
  }
  // What follows from tables, such as an index over words, is not in an image of Postgres.
  if (database === 'postgres' && Object.keys(tables).length > 0) await rebuildIndexes(config, urlOf(image));
}

const urlOf = (image: string): string => `sqlite:${image}`;

export const stampNow = (): string => stampOf(isoTime(systemClock.epochMs()));

/** What is left to do once an image is ready. */
export const swapOf = (
  { config, name }: Replacing,
  { installation, masterKeyId }: Pick<Manifest, 'installation' | 'masterKeyId'>,
  hasMasterKey: boolean,
): Swap => ({
  backup: name,
  databaseFile: sqliteFileOf(config),
  hasMasterKey,
  installation: installation === null || masterKeyId === null ? null : { id: installation, masterKeyId },
  stamp: stampNow(),
});

/** Replaces the database by a ready image; a restore that is killed in it is finished by `restore --continue`. */
export async function replace(
  { config, watcher }: Pick<Replacing, 'config' | 'watcher'>,
  swap: Swap,
  image: string,
): Promise<void> {
  if (swap.databaseFile !== null) {
    await prepareDatabase(image, swap.databaseFile);
    beginSwap(config, swap);
    return finishSwap(config, swap);
  }
  await inspected(atDatabase(config, urlOf(image)), async (source) => {
    const target = await openTarget(source, config.database.url, swap.installation?.id ?? '');
    try {
      beginSwap(config, swap);
      // Tables that only a newer program knows would stay, and with them the schema that this one refuses.
      if ((await target.migrator.status()).unknown.length > 0) await target.database.transaction(dropSchema);
      const begins = (plan: { tables: readonly { rows: number }[] }) =>
        watcher.stage(
          'restoring rows',
          plan.tables.reduce((sum, { rows }) => sum + rows, 0),
        );
      const progress = (rows: number) => watcher.progress(rows, 0);
      const copies = await copyInstallation(source, target, swap.installation?.id ?? '', {
        begins,
        progress,
      });
      const wrong = copies.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name);
      if (wrong.length > 0)
        throw damaged(
          `the restored database differs from the backup in: ${wrong.join(', ')}`,
          'run the restore again',
        );
    } finally {
      await target.close();
    }
  });
  await finishSwap(config, swap);
}
