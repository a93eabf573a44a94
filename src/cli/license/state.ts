import { workOnEach, writeBatch } from '../batch.ts';
import { noteChange, planned } from '../change.ts';
import { type Desk, isWholeId } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { exits, toFailure } from '../frame/exits.ts';
import { act, type DeskLicense, licenseOf, named, withLicenses } from './twin.ts';
import { licenseCard, licenseColumns, reasonAsked, refuseWholeKey } from './view.ts';

interface Change {
  readonly action: 'suspend' | 'resume' | 'revoke';
  readonly done: string;
  /** Said of a license that is as it was before. */
  readonly already: string;
  readonly body: { readonly reason?: string };
}

/** `appctl license suspend ID… --reason T`. */
export async function suspendLicenses(cli: Cli): Promise<number> {
  return change(cli, {
    action: 'suspend',
    done: 'suspended',
    already: 'was already suspended',
    body: { reason: reasonAsked(cli) },
  });
}

/** `appctl license resume ID…`. */
export const resumeLicenses = (cli: Cli): Promise<number> =>
  change(cli, { action: 'resume', done: 'resumed', already: 'was not suspended', body: {} });

/** `appctl license revoke ID… --reason T`. */
export async function revokeLicenses(cli: Cli): Promise<number> {
  return change(cli, {
    action: 'revoke',
    done: 'revoked',
    already: 'was already revoked',
    body: { reason: reasonAsked(cli) },
  });
}

/** One id gives a License, several a Batch (cli.md section 3.5). */
async function change(cli: Cli, { action, done, already, body }: Change): Promise<number> {
  const ids = cli.argumentList('id');
  for (const id of ids) refuseWholeKey('ID', id);
  return withLicenses(cli, async (desk) => {
    const byApiKey = action === 'revoke' ? desk.byApiKey : null;
    // Before the question: what does not exist, or may mean several, cannot be agreed to.
    const found = byApiKey ? ids : await foundOf(desk, ids);
    const [first] = found;
    await cli.confirm({ action: `${action} ${subjectOf(found)}` });
    if (byApiKey) {
      const { revokeByKey } = await import('./by-api-key.ts');
      return revokeByKey(cli, byApiKey, ids, body.reason ?? '');
    }
    const work = (id: string) => act(desk, id, action, body);
    if (typeof first !== 'object' || ids.length > 1) {
      const subjects = found.map((one) => (typeof one === 'string' ? one : one.id));
      return writeBatch(cli, await workOnEach(cli, subjects, work), subjects, licenseColumns);
    }
    const license = await work(first.id);
    await cli.out.value(planned(cli, license), licenseCard(license));
    const isSame = license.updatedAt === first.updatedAt;
    noteChange(cli, isSame ? `${license.id} ${already}` : `${done} ${license.id}`);
    return 0;
  });
}

/** Each license; of several the id where that was given, and what names none, which fails by itself. */
async function foundOf(desk: Desk, ids: readonly string[]): Promise<(DeskLicense | string)[]> {
  const [only = ''] = ids;
  if (ids.length === 1) return [await licenseOf(desk, only)];
  const found: (DeskLicense | string)[] = [];
  // A whole id means one license only.
  for (const id of ids)
    found.push(isWholeId(id) ? id : await licenseOf(desk, id).catch((error) => unknown(error, id)));
  return found;
}

function unknown(error: unknown, id: string): string {
  if (toFailure(error).exit !== exits.notFound) throw error;
  return id;
}

function subjectOf(found: readonly (DeskLicense | string)[]): string {
  const told = found.map((one) => (typeof one === 'string' ? `license ${one}` : named(one)));
  return told.length === 1 ? String(told[0]) : `${told.length} licenses: ${told.join(', ')}`;
}
