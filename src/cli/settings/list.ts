import type { SettingView } from '#platform/settings/view.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { pageOf } from '../paging.ts';
import { settingOf, withSettings } from './twin.ts';

/** `appctl settings list`. */
export function listSettings(cli: Cli): Promise<void> {
  return withSettings(cli, async (desk) => {
    const changed = cli.flag('changed') || undefined;
    const found = await desk.get<{ items: SettingView[] }>('settings', {
      group: cli.option('group'),
      changed,
    });
    const items = found.items.map(({ changed: _changed, isSecret: _secret, ...one }) => one);
    await cli.out.page(pageOf({ page: 1, limit: Math.max(1, items.length) }, items, items.length), [
      { key: 'key' },
      { key: 'value', text: (one) => JSON.stringify(one.value) },
      { key: 'default', text: (one) => JSON.stringify(one.default) },
      { key: 'pinnedBy', title: 'pinned by' },
      { key: 'description' },
    ]);
  });
}

/** `appctl settings get KEY`. */
export function getSetting(cli: Cli): Promise<void> {
  return withSettings(cli, async (desk) => {
    const setting = await settingOf(desk, cli.argument('key'));
    const { key } = setting;
    const { value } = cli.flag('reveal')
      ? await desk.post<{ value: unknown }>(at`settings/${key}/reveal`)
      : setting;
    await cli.out.value({ key, value, source: sourceOf(setting) }, () => shown(value));
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
  const { capabilities } = await import('../../app/capabilities.ts');
  return capabilities.flatMap((one) => one.settings ?? []).map((one) => one.key);
}
