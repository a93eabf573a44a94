import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { keepingSecret, noteLicenseKey, showsSecret } from '../secret-file.ts';
import { licenseOf, type One, withLicenses } from './twin.ts';
import { idAsked, licenseCard, reasonAsked } from './view.ts';

/** `appctl license rekey ID --reason T`: shows the new key as every secret that a command makes (cli.md section 1.5). */
export async function rekeyLicense(cli: Cli): Promise<void> {
  const reason = reasonAsked(cli);
  const named = idAsked(cli);
  await withLicenses(cli, async (desk) => {
    const { id, keyPrefix } = await licenseOf(desk, named);
    const isShown = showsSecret(cli);
    const withKey = isShown || (cli.given('out') && !cli.dryRun);
    const { license, newKey } = await keepingSecret(cli, async (keep) => {
      await cli.confirm({ action: actionOf(cli, keyPrefix, id) });
      const options = withKey ? { secret: { name: 'newKey', keep } } : {};
      const body = { ...inputOf(cli), reason, withKey };
      return desk.post<Rekeyed>(at`licenses/${id}/replace-key`, body, options);
    });
    const view = isShown && newKey !== null ? { ...license, key: newKey } : license;
    await cli.out.value(planned(cli, view), licenseCard(view));
    noteChange(cli, `the key of ${id} was replaced`);
    noteLicenseKey(cli, id, isShown);
  });
}

type Rekeyed = One & { readonly newKey: string | null };

const inputOf = (cli: Cli): object => ({
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
