import type { SettingChange } from '#platform/settings/view.ts';
import { planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { shown } from './list.ts';
import { settingOf, withSettings } from './twin.ts';

/** `appctl settings set KEY VALUE`. */
export function setSetting(cli: Cli): Promise<void> {
  return withSettings(cli, async (desk) => {
    const key = cli.argument('key');
    const text = await valueText(cli, key, await isSecret(desk, key));
    const given = cli.flag('json-value') ? { value: parseJson(text) } : { text };
    const change = await desk.put<SettingChange>(at`settings/${key}`, given);
    await cli.out.value(planned(cli, change), () => `${key}: ${shown(change.old)} -> ${shown(change.new)}`);
  });
}

const isSecret = async (desk: Desk, key: string): Promise<boolean> => (await settingOf(desk, key)).isSecret;

/** @throws usage error (2) when a secret stands on the command line, or no value is given at all */
async function valueText(cli: Cli, key: string, isSecret: boolean): Promise<string> {
  const typed = cli.optionalArgument('value');
  const secret = await cli.secret('value', { label: 'value', optional: true });
  if (typed !== undefined && secret !== undefined)
    throw usageError('VALUE and --value-* cannot be used together');
  if (typed !== undefined && isSecret) {
    throw usageError(
      `${key} is a secret: a value on the command line can be seen by others`,
      'use --value-stdin',
    );
  }
  if (typed !== undefined) return typed;
  if (secret !== undefined) return secret.value;
  if (isSecret) return (await cli.secret('value', { label: key, repeat: true })).value;
  throw usageError('VALUE is missing', 'appctl settings set --help');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`'${text}' is not JSON`, 'a text needs its own quotes: \'"text"\'');
  }
}

/** `appctl settings unset KEY`. */
export function unsetSetting(cli: Cli): Promise<void> {
  return withSettings(cli, async (desk) => {
    const key = cli.argument('key');
    const { changed } = await settingOf(desk, key);
    await desk.delete(at`settings/${key}`);
    const answer = { ok: true as const, action: 'unset' as const, id: key, changed };
    await cli.out.value(planned(cli, answer), () =>
      changed ? `${key} is back to its default` : `${key} already had its default`,
    );
  });
}
