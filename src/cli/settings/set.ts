import * as settings from '#platform/settings/index.ts';
import { changeOrPlan, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { shown } from './list.ts';

/** `appctl settings set KEY VALUE`. */
export function setSetting(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx, settings: store }) => {
    const key = cli.argument('key');
    const isSecret = store.find(key)?.secret ?? false;
    const text = await valueText(cli, key, isSecret);
    const given = cli.flag('json-value') ? { key, value: parseJson(text) } : { key, text };
    const change = await changeOrPlan(cli, ctx, (ctx) => settings.set(ctx, given));
    await cli.out.value(planned(cli, change), () => `${key}: ${shown(change.old)} -> ${shown(change.new)}`);
  });
}

/** @throws usage error (2) when a secret stands on the command line, or no value is given at all */
async function valueText(cli: Cli, key: string, isSecret: boolean): Promise<string> {
  const typed = cli.optionalArgument('value');
  const secret = await cli.secret('value', { label: 'value', optional: true });
  if (typed !== undefined && secret !== undefined) throw usageError('VALUE and --value-* exclude each other');
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
    throw usageError(`'${text}' is no JSON`, 'a text needs quotes of its own: \'"text"\'');
  }
}

/** `appctl settings unset KEY`. */
export function unsetSetting(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const key = cli.argument('key');
    const { changed } = settings.get(ctx, key);
    await changeOrPlan(cli, ctx, (ctx) => settings.unset(ctx, key));
    const answer = { ok: true as const, action: 'unset' as const, id: key, changed };
    await cli.out.value(planned(cli, answer), () =>
      changed ? `${key} is back to its default` : `${key} had its default`,
    );
  });
}
