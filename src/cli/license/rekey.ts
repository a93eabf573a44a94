import * as licenses from '#licensing/licenses/index.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { secretFileAsked, writeSecretFile } from '../secret-file.ts';
import { licenseCard, reasonAsked, refuseWholeKey } from './view.ts';

/** `appctl license rekey ID --reason T`: the new key once, with --json, --reveal or --out (cli.md section 1.5). */
export async function rekeyLicense(cli: Cli): Promise<void> {
  const reason = reasonAsked(cli);
  const file = secretFileAsked(cli);
  const named = cli.argument('id');
  refuseWholeKey('ID', named);
  await withLocal(cli, async ({ ctx }) => {
    const license = await licenses.get(ctx, named);
    const id = license.id;
    await cli.confirm({ action: actionOf(cli, license.keyPrefix, id) });
    const shown = !cli.dryRun && (cli.flag('reveal') || (cli.json && file === undefined));
    const view = await changeOrPlan(cli, ctx, (ctx) =>
      ctx.tx(async (ctx) => {
        const { license, newKey } = await licenses.replaceKey(ctx, id, inputOf(cli, reason));
        const told = !cli.dryRun && (shown || file !== undefined);
        if (told) await licenses.forReveal(ctx, id, 'REKEY');
        // Inside the transaction: a key that could not be written replaces nothing.
        if (told && file !== undefined) writeSecretFile(cli, file, newKey);
        return licenses.licenseView(ctx, license, { reveal: shown });
      }),
    );
    await cli.out.value(planned(cli, view), licenseCard(view));
    noteChange(cli, `the key of ${id} was replaced`);
    if (!cli.dryRun && !shown && file === undefined) cli.next(`appctl license reveal ${id} --reason TEXT`);
  });
}

const inputOf = (cli: Cli, reason: string): licenses.ReplaceKeyInput => ({
  reason,
  overlapSeconds: cli.integer('overlap'),
  deactivateAll: cli.flag('deactivate-all'),
  turnOldIntoHoneypot: cli.flag('honeypot'),
});

function actionOf(cli: Cli, keyPrefix: string, id: string): string {
  const overlap = cli.integer('overlap') ?? 0;
  const end = overlap === 0 ? 'stop it at once' : `stop it in ${overlap} seconds`;
  const machines = cli.flag('deactivate-all') ? ', free all machines' : '';
  return `replace the key ${keyPrefix}… of license ${id}${machines}, and ${end}`;
}
