import { schemaDrift } from '../../app/schema-drift.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { withLocal } from '../open.ts';

/** `appctl migrate verify`: ends with 6 when the schema is not what the applied migrations make. */
export function verifySchema(cli: Cli): Promise<number> {
  return withLocal(
    cli,
    async (instance) => {
      const drift = await schemaDrift(instance);
      if (drift.length === 0) {
        await cli.out.value({ drift }, () => 'the schema matches its migrations');
        return exits.done;
      }
      await cli.out.rows({ drift }, drift, [{ key: 'kind' }, { key: 'line' }]);
      return exits.verificationFailed;
    },
    'inspect',
  );
}
