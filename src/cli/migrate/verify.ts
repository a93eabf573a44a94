import { findDrift } from '#kernel/db/drift.ts';
import { migrations } from '../../../migrations/index.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { withLocal } from '../open.ts';

/** `appctl migrate verify`: ends with 6 when the schema is not what the applied migrations make. */
export function verifySchema(cli: Cli): Promise<number> {
  return withLocal(
    cli,
    async ({ database, migrator }) => {
      const names = new Set((await migrator.status()).applied.map((step) => step.name));
      const changed = (await migrator.changed()).map((line) => ({ kind: 'checksum' as const, line }));
      const applied = migrations.filter((migration) => names.has(migration.name));
      const drift = [...changed, ...(await findDrift(database, applied))];
      if (drift.length === 0) {
        await cli.out.value({ drift }, () => 'the schema is what its migrations make');
        return exits.done;
      }
      await cli.out.rows({ drift }, drift, [{ key: 'kind' }, { key: 'line' }]);
      return exits.verificationFailed;
    },
    'inspect',
  );
}
