import type { Config } from '#kernel/config/config.ts';
import type { Sealing, WrittenArchive } from '#platform/backup/index.ts';

/** Where a backup goes. */
export type BackupOut =
  | { readonly to: 'place' }
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'stream'; send(path: string): Promise<void> };

export interface BackupOptions {
  readonly out: BackupOut;
  readonly label: string | null;
  readonly exclude: readonly ('media' | 'bundles')[];
  /** Null: the archive is not encrypted. */
  readonly sealing: Sealing | null;
}

/** Shows how far a backup is. */
export interface BackupWatcher {
  /** @param total 0 when it is not known */
  stage(name: string, total: number): void;
  progress(done: number, total: number): void;
}

export const NO_WATCHER: BackupWatcher = { stage: () => undefined, progress: () => undefined };

/** Tells two watchers the same. */
export const both = (one: BackupWatcher, other: BackupWatcher): BackupWatcher => ({
  stage(name, total) {
    one.stage(name, total);
    other.stage(name, total);
  },
  progress(done, total) {
    one.progress(done, total);
    other.progress(done, total);
  },
});

/** A file of the work folder. */
export type Archive = WrittenArchive & { readonly path: string };

/** How backups are encrypted that nobody asked for; null: they are not. */
export function sealingOf({ backup }: Pick<Config, 'backup'>): Sealing | null {
  const { encryptTo, passphrase } = backup;
  if (encryptTo.length > 0) return { recipients: encryptTo };
  return passphrase === undefined ? null : { passphrase };
}
