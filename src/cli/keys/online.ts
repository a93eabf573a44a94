import { AppError } from '#kernel/errors.ts';
import type { Page } from '#kernel/service/pagination.ts';
import type { OnlineKey } from '#licensing/catalog/keys/index.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { withKeys } from './twin.ts';

const columns: readonly Column<OnlineKey>[] = [
  { key: 'keyId', title: 'key id' },
  { key: 'product' },
  { key: 'status' },
  { key: 'delegation.use', title: 'may sign', text: (key) => mayNow(key) },
  { key: 'delegation.expiresAt', title: 'until', time: true },
  { key: 'publicKey', title: 'public key' },
];

/** What a key may sign now, in words. */
function mayNow({ delegation, status }: OnlineKey): string {
  if (delegation === null) return 'nothing yet: not delegated';
  if (!delegation.valid) return 'nothing: its delegation has ended';
  return status === 'ACTIVE' ? delegation.use.join(', ') : 'nothing: another key is in use';
}

const keyCard = (key: OnlineKey) =>
  card([
    ['key id', key.keyId],
    ['product', key.product],
    ['public key', key.publicKey],
    ['status', key.status],
    ['created', key.createdAt],
    ['may sign', mayNow(key)],
    ['root key', key.delegation?.root],
    ['until', key.delegation?.expiresAt],
  ]);

/** `appctl keys online create --product S`. */
export function createOnlineKey(cli: Cli): Promise<void> {
  return withKeys(cli, async (desk) => {
    const key = await desk.post<OnlineKey>(at`products/${cli.required('product')}/online-keys`);
    await cli.out.value(planned(cli, key), keyCard(key));
    noteChange(cli, `created the online key ${key.keyId}`);
    if (cli.dryRun || key.delegation !== null) return;
    const pub = Buffer.from(key.publicKey, 'base64').toString('base64url');
    cli.next(
      `appctl keys delegate --product ${key.product} --key ROOT.key --pub ${pub} > ${key.product}.delegation`,
      `appctl keys online delegate ${key.keyId} --delegation-file ${key.product}.delegation`,
    );
  });
}

/** `appctl keys online delegate KEYID --delegation-file F|-`. */
export async function storeDelegation(cli: Cli): Promise<void> {
  const text = delegationIn(await cli.readText('--delegation-file', cli.required('delegation-file')));
  await withKeys(cli, async (desk) => {
    const keyId = cli.argument('keyid');
    const { onlineKey } = await desk.get<{ onlineKey: OnlineKey }>(at`online-keys/${keyId}`);
    const path = at`products/${onlineKey.product}/online-keys/${keyId}/delegation`;
    const key = await naming(() => desk.put<OnlineKey>(path, { delegation: text }));
    await cli.out.value(planned(cli, key), keyCard(key));
    noteChange(cli, `${keyId} signs for ${key.product}`);
  });
}

/** `appctl keys online list`. */
export function listOnlineKeys(cli: Cli): Promise<void> {
  const asked = { ...pageAsked(cli), product: cli.option('product') };
  return withKeys(cli, async (desk) => {
    const page = await desk.get<Page<OnlineKey & { id: string }>>('online-keys', asked);
    await cli.out.page({ ...page, items: page.items.map(({ id: _, ...key }) => key) }, columns);
  });
}

/** What `keys delegate` printed, with or without --json. */
function delegationIn(text: string): string {
  try {
    const { delegation } = JSON.parse(text) as { delegation?: unknown };
    return typeof delegation === 'string' ? delegation : text;
  } catch {
    return text;
  }
}

/** A delegation that does not verify ends with 6, as every signature that does not. */
async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
    const hint = 'appctl keys delegate --help';
    throw new CliError(exits.verificationFailed, error.code, error.message, { hint, details: error.details });
  }
}
