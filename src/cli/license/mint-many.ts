// Many licenses of one command; in a file of its own, because minting one should not load what counts and reports many.
import { workOnEach, writeBatch } from '../batch.ts';
import type { Cli } from '../frame/context.ts';
import type { Keep } from '../frame/output-file.ts';
import { keepingSecrets, showsLicenseKey } from '../secret-file.ts';
import { type Minted, withoutKey } from './twin.ts';
import { licenseColumns } from './view.ts';

/**
 * `appctl license mint --count N`: each in a transaction of its own.
 *
 * @param mint makes one, by its idempotency key
 * @returns the exit code
 */
export async function mintMany(
  cli: Cli,
  count: number,
  mint: (keep: Keep, key: string | undefined) => Promise<Minted>,
): Promise<number> {
  const key = cli.option('idempotency-key');
  const subjects = Array.from({ length: count }, (_, index) => `license ${index + 1}`);
  const batch = await keepingSecrets(
    cli,
    (attempt) =>
      workOnEach(cli, subjects, (_subject, index) =>
        attempt((keep) => mint(keep, key === undefined ? undefined : `${key}:${index}`)),
      ),
    { ownForce: true },
  );
  const results = showsLicenseKey(cli)
    ? batch.results
    : batch.results.map((result) => (result.success ? withoutKey(result) : result));
  return writeBatch(cli, { ...batch, results }, subjects, columnsOf(cli));
}

function columnsOf(cli: Cli) {
  if (!showsLicenseKey(cli)) return licenseColumns;
  return licenseColumns.map((column) =>
    column.key === 'keyMasked' ? { key: 'key', whole: true as const } : column,
  );
}
