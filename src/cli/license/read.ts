import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { pageAsked, pageOf } from '../paging.ts';
import { filterAsked } from './filter.ts';
import { idAsked, licenseCard, licenseColumns, reasonAsked, refuseWholeKey } from './view.ts';

/** What a person reads at once; `events tail` has the rest. */
const NEWEST_EVENTS = 100;

/** `appctl license list`. */
export function listLicenses(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    await cli.out.page(await readPage(cli, ctx, await filterAsked(cli, ctx)), licenseColumns);
  });
}

/** `appctl license find TEXT`, or the one license of `--key-stdin` or `--key-file`. */
export async function findLicenses(cli: Cli): Promise<void> {
  const text = cli.optionalArgument('text')?.trim();
  const key = await cli.secret('key', { label: 'license key', optional: true });
  if ((text === undefined) === (key === undefined))
    throw usageError('name either TEXT, --key-stdin or --key-file');
  if (text === '') throw usageError('TEXT is empty');
  refuseWholeKey('TEXT', text);
  await withLocal(cli, async ({ ctx }) => {
    if (key !== undefined) {
      const found = licenses.licenseView(ctx, await licenses.getByKey(ctx, key.value));
      return cli.out.page(pageOf(pageAsked(cli), [found], 1), licenseColumns);
    }
    const page = await readPage(cli, ctx, { q: text });
    if (page.pagination.total === 0)
      throw notFoundError(`nothing is found for '${text}'`, 'appctl license list');
    await cli.out.page(page, licenseColumns);
  });
}

async function readPage(cli: Cli, ctx: Ctx, filter: licenses.LicenseFilter) {
  const asked = pageAsked(cli);
  const slice = { offset: (asked.page - 1) * asked.limit, limit: asked.limit };
  const { items, total } = await licenses.listLicenses(ctx, filter, slice);
  const views = items.map((license) => licenses.licenseView(ctx, license));
  return pageOf(asked, views, total);
}

/** `appctl license show ID`, or with `--key-stdin` or `--key-file`. */
export async function showLicense(cli: Cli): Promise<void> {
  const id = cli.optionalArgument('id');
  const key = await cli.secret('key', { label: 'license key', optional: true });
  if ((id === undefined) === (key === undefined))
    throw usageError('name either ID, --key-stdin or --key-file');
  refuseWholeKey('ID', id);
  await withLocal(cli, async ({ ctx }) => {
    const found =
      key === undefined ? await licenses.get(ctx, id ?? '') : await licenses.getByKey(ctx, key.value);
    const reveal = cli.flag('reveal');
    if (reveal) await licenses.forReveal(ctx, found.id);
    const activations = cli.flag('machines') ? await licenses.listActivations(ctx, found.id) : undefined;
    const view = licenses.licenseView(ctx, found, { reveal, activations });
    const counter = cli.flag('usage') ? await usage.show(ctx, found.id) : undefined;
    const events = cli.flag('events') ? await licenses.listTimeline(ctx, found.id, NEWEST_EVENTS) : undefined;
    const shown = { ...view, ...(counter && { usage: counter }), ...(events && { events }) };
    await cli.out.value(shown, licenseCard(view, { usage: counter, events }));
  });
}

/** `appctl license reveal ID --reason T`. */
export async function revealLicense(cli: Cli): Promise<void> {
  const reason = reasonAsked(cli);
  const named = idAsked(cli);
  await withLocal(cli, async ({ ctx }) => {
    const license = await licenses.forReveal(ctx, named, reason);
    const { id, key } = licenses.licenseView(ctx, license, { reveal: true });
    await cli.out.value({ id, key }, () => String(key));
  });
}
