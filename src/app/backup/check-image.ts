import type { Clock } from '#kernel/clock.ts';
import type { Keyring } from '#kernel/crypto.ts';
import { foreignKeyProblems, integrityProblems } from '#kernel/db/condition.ts';
import type { Database } from '#kernel/db/database.ts';
import { damaged } from '#platform/backup/index.ts';
import { countTables, type ImageOwner, migratorOf, readOwner } from './image.ts';
import { sealedSamples } from './queries.ts';

/** What an image is held against. */
export interface ImageExpected {
  readonly tables: Readonly<Record<string, number>>;
  readonly clock: Clock;
  /** Opens what the image holds encrypted; null where the key is not at hand. */
  readonly keyring: Keyring | null;
}

/**
 * Demands that an image is whole: its pages and indexes, its references, the rows of each table, and that the master key
 * opens one value of each kind.
 *
 * @throws AppError VERIFICATION_FAILED
 */
export async function checkImage(image: Database, { tables, clock, keyring }: ImageExpected): Promise<void> {
  const problems = [...(await integrityProblems(image)), ...(await foreignKeyProblems(image))];
  if (problems.length > 0)
    throw damaged(`the database in the backup is damaged: ${problems.slice(0, 3).join('; ')}`);
  const found = await countTables(image);
  const names = new Set([...Object.keys(found), ...Object.keys(tables)]);
  for (const name of names)
    if (found[name] !== tables[name])
      throw damaged(
        `the table ${name} in the backup has ${found[name] ?? 'no'} rows instead of ${tables[name] ?? 'none'}`,
      );
  const { pending, applied } = await migratorOf(image, clock).status();
  if (applied.length + pending.length > 0 && keyring !== null) await requireReadable(image, keyring);
}

/**
 * Demands that an image is the database of those that its description names: what is restored is noted in the data
 * directory by these names, and a server does not start beside a database of another one.
 *
 * @param described `backup` or `stream`, for the message
 * @throws AppError VERIFICATION_FAILED
 */
export async function requireOwner(image: Database, named: ImageOwner, described: string): Promise<void> {
  const own = await readOwner(image);
  for (const [key, what] of [
    ['installation', 'installation'],
    ['masterKeyId', 'master key'],
  ] as const)
    if (named[key] !== own[key])
      throw damaged(
        `the ${described} names the ${what} ${named[key] ?? 'none'}, but its database has ${own[key] ?? 'none'}`,
      );
}

async function requireReadable(image: Database, keyring: Keyring): Promise<void> {
  for (const { table, use, sealed, owner } of await sealedSamples(image)) {
    try {
      keyring.open(use, sealed, owner);
    } catch (error) {
      throw damaged(
        `a value of ${table} in the backup does not open: ${(error as Error).message}`,
        'check the master key: appctl doctor keys.master-key',
      );
    }
  }
}
