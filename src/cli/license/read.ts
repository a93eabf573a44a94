import type { TimelineEvent } from '#licensing/licenses/licenses/index.ts';
import { at, type Desk, type Query } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { type DeskPage, pageAsked, pageOf } from '../paging.ts';
import { filterAsked, filterFlags } from './filter.ts';
import { listedMachines } from './machines-list.ts';
import { type DeskLicense, licenseOf, licenseOfKey, usageOf, withLicenses, withMachines } from './twin.ts';
import { idAsked, licenseCard, licenseColumns, reasonAsked, refuseWholeKey } from './view.ts';

/** What a person reads at once; `events tail` has the rest. */
const NEWEST_EVENTS = 100;

/** `appctl license list`. */
export function listLicenses(cli: Cli): Promise<void> {
  return withLicenses(cli, async (desk) => {
    await cli.out.page(await readPage(cli, desk, filterAsked(cli, desk)), licenseColumns);
  });
}

/** `appctl license find TEXT`, or the one license of `--key-stdin` or `--key-file`. */
export async function findLicenses(cli: Cli): Promise<void> {
  const text = cli.optionalArgument('text')?.trim();
  const key = await cli.secret('key', { label: 'license key', optional: true });
  if ((text === undefined) === (key === undefined))
    throw usageError('give either TEXT, --key-stdin or --key-file');
  if (text === '') throw usageError('TEXT is empty');
  refuseWholeKey('TEXT', text);
  await withLicenses(cli, async (desk) => {
    if (key !== undefined) {
      const found = await licenseOfKey(cli, desk, key.value);
      return cli.out.page(pageOf(pageAsked(cli), [found], 1), licenseColumns);
    }
    const page = await readPage(cli, desk, { q: text });
    if (page.pagination.total === 0)
      throw notFoundError(`nothing was found for '${text}'`, 'appctl license list');
    await cli.out.page(page, licenseColumns);
    const [only, ...others] = page.items;
    if (only === undefined || others.length > 0 || cli.json) return;
    const { noteReplacedIfKey } = await import('../desk/find-named.ts');
    await noteReplacedIfKey(cli, desk, text ?? '', only);
  });
}

const readPage = (cli: Cli, desk: Desk, filters: Query): Promise<DeskPage<DeskLicense>> =>
  namingFlags(filterFlags, () => desk.get('licenses', { ...pageAsked(cli), ...filters }));

/** `appctl license show ID`, or with `--key-stdin` or `--key-file`. */
export async function showLicense(cli: Cli): Promise<void> {
  const id = cli.optionalArgument('id');
  const key = await cli.secret('key', { label: 'license key', optional: true });
  if ((id === undefined) === (key === undefined))
    throw usageError('give either ID, --key-stdin or --key-file');
  refuseWholeKey('ID', id);
  await withMachines(cli, async (desk) => {
    const found =
      key === undefined ? await licenseOf(desk, id ?? '') : await licenseOfKey(cli, desk, key.value);
    const revealed = cli.flag('reveal') ? await revealedKey(desk, found.id, 'license show') : undefined;
    const activations = cli.flag('machines') ? await listedMachines(desk, found.id) : undefined;
    const view = {
      ...found,
      ...(revealed && { key: revealed.key }),
      ...(activations && { activations }),
    };
    const counter = cli.flag('usage') ? await usageOf(desk, found.id) : undefined;
    const events = cli.flag('events') ? await newestEvents(desk, found.id) : undefined;
    const shown = { ...view, ...(counter && { usage: counter }), ...(events && { events }) };
    const cause = cli.json ? undefined : await causeOf(desk, found);
    await cli.out.value(shown, licenseCard(view, { usage: counter, events, cause }));
  });
}

const revealedKey = (desk: Desk, id: string, reason: string): Promise<{ id: string; key: string }> =>
  desk.post(at`licenses/${id}/reveal-key`, { reason });

const CAUSES: Readonly<Record<string, string>> = {
  SUSPENDED: 'LICENSE_SUSPENDED',
  REVOKED: 'LICENSE_REVOKED',
};

/** Who suspended or revoked a license, when and why; undefined where that is not among the newest events. */
async function causeOf(desk: Desk, { id, status }: DeskLicense): Promise<TimelineEvent | undefined> {
  const wanted = CAUSES[status];
  if (wanted === undefined) return undefined;
  return (await newestEvents(desk, id)).findLast(({ type }) => type === wanted);
}

/** Oldest of them first. */
const newestEvents = async (desk: Desk, id: string): Promise<TimelineEvent[]> =>
  (
    await desk.get<DeskPage<TimelineEvent>>(at`licenses/${id}/events`, { limit: NEWEST_EVENTS })
  ).items.toReversed();

/** `appctl license reveal ID --reason T`. */
export async function revealLicense(cli: Cli): Promise<void> {
  const reason = reasonAsked(cli);
  const named = idAsked(cli);
  await withLicenses(cli, async (desk) => {
    const { id, key } = await revealedKey(desk, named, reason);
    await cli.out.value({ id, key }, () => String(key));
  });
}
