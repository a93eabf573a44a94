import { keepMasterKeyKept, masterKeyKeptAt } from '#platform/installation/index.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';

/** `appctl keys master`. */
export function masterKey(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx, config }) => {
    if (cli.flag('kept') && !cli.dryRun) await keepMasterKeyKept(ctx);
    const keptAt = await masterKeyKeptAt(ctx);
    const file = config.masterKey === undefined ? config.masterKeyFile : null;
    const answer = { keyId: ctx.keyring.keyId, file, keptAt };
    await cli.out.value(
      cli.dryRun ? { ...answer, dryRun: true } : answer,
      card([
        ['Key id', answer.keyId],
        ['File', file ?? 'none: secret.master_key of the configuration'],
        ['Stored safely', keptAt ?? 'not confirmed yet'],
      ]),
    );
    if (keptAt === null) cli.next('appctl keys master --kept');
  });
}
