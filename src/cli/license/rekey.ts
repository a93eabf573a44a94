import * as licenses from '#licensing/licenses/licenses/index.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { keepingSecret, noteLicenseKey, showsSecret } from '../secret-file.ts';
import { licenseCard, reasonAsked, refuseWholeKey } from './view.ts';

/** `appctl license rekey ID --reason T`: shows the new key as every secret that a command makes (cli.md section 1.5). */
export async function rekeyLicense(cli: Cli): Promise<void> {
  const reason = reasonAsked(cli);
  const named = cli.argument('id');
  refuseWholeKey('ID', named);
  await withLocal(cli, async ({ ctx }) => {
    const license = await licenses.get(ctx, named);
    const id = license.id;
    const reveal = showsSecret(cli);
    const view = await keepingSecret(cli, async (keep) => {
      await cli.confirm({ action: actionOf(cli, license.keyPrefix, id) });
      return changeOrPlan(cli, ctx, (ctx) =>
        ctx.tx(async (ctx) => {
          const { license, newKey } = await licenses.replaceKey(ctx, id, inputOf(cli, reason));
          if (reveal || (cli.given('out') && !cli.dryRun)) await licenses.forReveal(ctx, id, 'REKEY');
          keep(newKey);
          return licenses.licenseView(ctx, license, { reveal });
        }),
      );
    });
    await cli.out.value(planned(cli, view), licenseCard(view));
    noteChange(cli, `the key of ${id} was replaced`);
    noteLicenseKey(cli, id, reveal);
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
