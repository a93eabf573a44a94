import { conflict, type Header } from '#platform/backup/index.ts';
import { migrations } from '../migrations.ts';

/** @throws AppError CONFLICT (5) for a backup whose schema this program does not know */
export function requireKnownSchema({
  schemaVersion,
  version,
}: Pick<Header, 'schemaVersion' | 'version'>): void {
  if (schemaVersion === '' || migrations.some(({ name }) => name === schemaVersion)) return;
  const newest = migrations.at(-1)?.name ?? '';
  throw conflict(
    `the backup was made by appctl ${version} with the schema ${schemaVersion.slice(0, 100)}, which this appctl does not know (it ends with ${newest})`,
    `install appctl ${version} or newer, then run the same command again`,
  );
}
