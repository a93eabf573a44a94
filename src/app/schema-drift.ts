import { type Drift, findDrift } from '#kernel/db/drift.ts';
import type { Instance } from './instance.ts';
import { migrations } from './migrations.ts';

/** `checksum`: an applied migration is another one here; `line` is its name. */
export type SchemaDrift = Drift | { readonly kind: 'checksum'; readonly line: string };

/** Everything in which a database differs from what its applied migrations make. */
export async function schemaDrift({
  database,
  migrator,
}: Pick<Instance, 'database' | 'migrator'>): Promise<SchemaDrift[]> {
  const names = new Set((await migrator.status()).applied.map((step) => step.name));
  const changed = (await migrator.changed()).map((line) => ({ kind: 'checksum' as const, line }));
  const applied = migrations.filter((migration) => names.has(migration.name));
  return [...changed, ...(await findDrift(database, applied))];
}
