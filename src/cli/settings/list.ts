import { z } from 'zod';
import { get, list, type SettingView } from '#platform/settings/index.ts';
import { capabilities } from '../../app/capabilities.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { pageOf } from '../paging.ts';

const declared = capabilities.flatMap((one) => one.settings ?? []);

/** `appctl settings list`. */
export function listSettings(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const group = cli.option('group');
    const items = list(ctx)
      .filter((one) => group === undefined || one.group === group)
      .filter((one) => one.changed || !cli.flag('changed'))
      .map(({ changed: _changed, ...one }) => ({ ...one, type: typeOf(one.key) }));
    await cli.out.page(pageOf({ page: 1, limit: Math.max(1, items.length) }, items, items.length), [
      { key: 'key' },
      { key: 'value', text: (one) => JSON.stringify(one.value) },
      { key: 'default', text: (one) => JSON.stringify(one.default) },
      { key: 'pinnedBy', title: 'pinned by' },
      { key: 'description' },
    ]);
  });
}

/** The JSON type of a setting, for panels and scripts. */
function typeOf(key: string): string {
  const schema = declared.find((one) => one.key === key)?.schema;
  const { type } = schema ? z.toJSONSchema(schema, { unrepresentable: 'any' }) : {};
  return typeof type === 'string' ? type : 'any';
}

/** `appctl settings get KEY`. */
export function getSetting(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const view = get(ctx, cli.argument('key'), cli.flag('reveal'));
    const { key, value } = view;
    await cli.out.value({ key, value, source: sourceOf(view) }, () => shown(value));
  });
}

function sourceOf({ pinnedBy, changed }: SettingView): 'environment' | 'database' | 'default' {
  if (pinnedBy !== undefined) return 'environment';
  return changed ? 'database' : 'default';
}

/** A text as it is, everything else as JSON. */
export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Offers the key of every setting. */
export async function completeSettingKeys(): Promise<readonly string[]> {
  return declared.map((one) => one.key);
}
