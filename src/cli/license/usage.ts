import type { UsageRecordView, UsageView } from '#licensing/licenses/usage/index.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { licenseOf, licenseOfKey, usageOf, withLicenseUsage } from './twin.ts';
import { idAsked, refuseWholeKey } from './view.ts';

const columns: readonly Column<UsageRecordView>[] = [
  { key: 'at', time: true },
  { key: 'feature' },
  { key: 'quantity', align: 'right' },
  { key: 'counterAfter', title: 'counter', align: 'right' },
  { key: 'epoch', align: 'right' },
  { key: 'metadata' },
  { key: 'id' },
];

type Answer = DeskPage<UsageRecordView> & { usage: UsageView };

/** `appctl license usage show ID`, or with `--key-stdin` or `--key-file`. */
export const showUsage = (cli: Cli): Promise<void> =>
  withNamed(cli, async (desk, id) => {
    const usage = await usageOf(desk, id);
    await cli.out.value(usage, usageCard(usage));
  });

/** `appctl license usage list ID`, or with `--key-stdin` or `--key-file`. */
export const listUsage = (cli: Cli): Promise<void> =>
  withNamed(cli, async (desk, id) => {
    const { items, pagination } = await desk.get<Answer>(at`licenses/${id}/usage`, pageAsked(cli));
    await cli.out.page({ items, pagination }, columns);
  });

/** `appctl license usage reset ID`. */
export const resetUsage = (cli: Cli): Promise<void> => change(cli, 'reset', {}, 0);

/** `appctl license usage set ID N`. */
export async function setUsage(cli: Cli): Promise<void> {
  const text = cli.argument('n');
  const current = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(current)) {
    throw usageError(`N must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not '${text}'`);
  }
  return change(cli, 'set', { current }, current);
}

async function change(cli: Cli, action: 'reset' | 'set', body: object, to: number): Promise<void> {
  const named = idAsked(cli);
  await withLicenseUsage(cli, async (desk) => {
    // Before the question: what does not exist cannot be agreed to, and the person sees what is lost.
    const { id } = await licenseOf(desk, named);
    const { current } = await usageOf(desk, id);
    await cli.confirm({ action: `change the usage counter of ${id} from ${current} to ${to}` });
    const { usage } = await desk.post<Pick<Answer, 'usage'>>(at`licenses/${id}/usage/${action}`, body);
    await cli.out.value(planned(cli, usage), usageCard(usage));
    noteChange(cli, `the usage counter of ${id} went from ${current} to ${usage.current}`);
  });
}

/** Runs work on the license that is named by its id, or by its key from a pipe or a file. */
async function withNamed(cli: Cli, work: (desk: Desk, id: string) => Promise<void>): Promise<void> {
  const id = cli.optionalArgument('id');
  const key = await cli.secret('key', { label: 'license key', optional: true });
  if ((id === undefined) === (key === undefined))
    throw usageError('give either ID, --key-stdin or --key-file');
  refuseWholeKey('ID', id);
  await withLicenseUsage(cli, async (desk) => {
    const found = key === undefined ? id : (await licenseOfKey(cli, desk, key.value)).id;
    await work(desk, found ?? '');
  });
}

function usageCard({ current, max, remaining, percentUsed, byFeature }: UsageView) {
  const parts = Object.entries(byFeature);
  const told = parts.reduce((sum, [, quantity]) => sum + quantity, 0);
  return card([
    ['used', max === null ? `${current}, without limit` : `${current} of ${max} (${percentUsed}%)`],
    ['left', remaining],
    // What a set brought was recorded by nobody.
    ['set manually', current > told ? current - told : null],
    ...parts.map(([feature, quantity]): [string, string] => ['feature', `${feature}: ${quantity}`]),
  ]);
}
