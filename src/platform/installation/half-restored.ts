import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';

/** While it is there, a restore is replacing the data of a directory. */
export const restoreJournal = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'restore.json');

/** @throws ConfigError (78) while a restore has not ended, or when it was interrupted */
export function refuseHalfRestored(config: Pick<Config, 'dataDir'>): void {
  if (!existsSync(restoreJournal(config))) return;
  const message = `a restore into ${config.dataDir} has not ended: it is running, or was interrupted`;
  const hint = 'wait for it, or finish it: appctl restore --continue';
  throw new ConfigError([{ key: 'data_dir', message, hint }]);
}
