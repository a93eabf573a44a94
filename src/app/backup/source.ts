import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Keyring } from '#kernel/crypto.ts';
import type { Database } from '#kernel/db/database.ts';
import type { Migrator } from '#kernel/db/migrate.ts';
import type { ObjectStorage } from '#kernel/storage/types.ts';
import { createStorage } from '#platform/storage/index.ts';

/** What a backup is made of. */
export interface BackupSource {
  readonly config: Config;
  /** The file that the configuration was read from; null for none. */
  readonly configFile: string | null;
  readonly database: Database;
  readonly migrator: Migrator;
  readonly clock: Clock;
  /** Opens the secrets of the database; null leaves that out of the verification. */
  readonly keyring: Keyring | null;
  readonly storages: Readonly<Record<'bundles' | 'media', ObjectStorage>>;
}

/** An opened installation. */
export const sourceOf = (
  {
    config,
    database,
    migrator,
    clock,
    ctx,
  }: Pick<BackupSource, 'config' | 'database' | 'migrator' | 'clock'> & {
    readonly ctx: { readonly keyring: Keyring };
  },
  configFile: string | null,
): BackupSource => ({
  config,
  configFile,
  database,
  migrator,
  clock,
  keyring: ctx.keyring,
  storages: storagesOf(config),
});

/** Where the files of an installation are. */
export const storagesOf = (config: Config): BackupSource['storages'] => ({
  bundles: createStorage(config),
  media: createStorage(config, 'media'),
});
