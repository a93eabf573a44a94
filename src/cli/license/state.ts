import { workOnEach, writeBatch } from '../batch.ts';
import { noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { act, licenseOf, withLicenses } from './twin.ts';
import { licenseCard, licenseColumns, reasonAsked, refuseWholeKey } from './view.ts';

interface Change {
  readonly action: 'suspend' | 'resume' | 'revoke';
  readonly done: string;
  readonly body: { readonly reason?: string };
}

/** `appctl license suspend ID… --reason T`. */
export async function suspendLicenses(cli: Cli): Promise<number> {
  return change(cli, { action: 'suspend', done: 'suspended', body: { reason: reasonAsked(cli) } });
}

/** `appctl license resume ID…`. */
export const resumeLicenses = (cli: Cli): Promise<number> =>
  change(cli, { action: 'resume', done: 'resumed', body: {} });

/** `appctl license revoke ID… --reason T`. */
export async function revokeLicenses(cli: Cli): Promise<number> {
  return change(cli, { action: 'revoke', done: 'revoked', body: { reason: reasonAsked(cli) } });
}

/** One id gives a License, several a Batch (cli.md section 3.5). */
async function change(cli: Cli, { action, done, body }: Change): Promise<number> {
  const ids = cli.argumentList('id');
  for (const id of ids) refuseWholeKey('ID', id);
  return withLicenses(cli, async (desk) => {
    const [first = ''] = ids;
    // Before the question: what does not exist cannot be agreed to.
    const byApiKey = action === 'revoke' ? desk.byApiKey : null;
    if (ids.length === 1 && !byApiKey) await licenseOf(desk, first);
    const named = ids.length === 1 ? `license ${first}` : `${ids.length} licenses: ${ids.join(', ')}`;
    await cli.confirm({ action: `${action} ${named}` });
    if (byApiKey) {
      const { revokeByKey } = await import('./by-api-key.ts');
      return revokeByKey(cli, byApiKey, ids, body.reason ?? '');
    }
    const work = (id: string) => act(desk, id, action, body);
    if (ids.length > 1) return writeBatch(cli, await workOnEach(cli, ids, work), ids, licenseColumns);
    const license = await work(first);
    await cli.out.value(planned(cli, license), licenseCard(license));
    noteChange(cli, `${done} ${license.id}`);
    return 0;
  });
}
