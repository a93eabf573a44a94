// Secrets of this installation: they are taken out of every text, whatever stands around them.
import type { CheckScope } from '#kernel/check.ts';
import type { Config } from '#kernel/config/config.ts';
import { findConfigKey } from '#kernel/config/table.ts';
import type { Ctx } from '#kernel/context.ts';
import { alertsPing, alertsWebhook } from '#platform/mail/index.ts';
import { get, list, refresh } from '#platform/settings/index.ts';
import { isNamedSecret } from './redact.ts';

/** What the configuration and the settings mark as secret, as far as they can be read. */
export async function secretsOf({ entries, config, opened }: CheckScope): Promise<string[]> {
  const configured = Object.entries(entries).flatMap(([key, { value }]) => {
    const kind = findConfigKey(key)?.secret;
    if (kind === undefined || value === null || value === undefined) return [];
    return kind === 'value' ? [String(value)] : passwordsIn(String(value));
  });
  const stored = opened === null ? [] : await secretSettings(opened.ctx);
  return [...configured, ...pinned(config), ...stored].filter((one) => one !== '');
}

/** As they are written in the address, and as the server of it knows them. */
export function passwordsIn(address: string): string[] {
  const url = URL.canParse(address) ? new URL(address) : null;
  const inQuery = [...(url?.searchParams ?? [])].filter(([name]) => isNamedSecret(name));
  // The password of an address that is no URL, or not the one that was meant, reaches to the last @.
  const byHand = /:\/\/[^:@/]*:(.*)@/s.exec(address)?.[1] ?? '';
  const written = [url?.password ?? '', byHand, ...inQuery.map(([, value]) => value)];
  return written.flatMap((one) => [one, decoded(one)]).filter((one) => one !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that begins no code.
  }
}

/** Settings that the configuration fixes are known without the database too. A number, such as of days, is no secret. */
const pinned = (config: Config | null): string[] =>
  [...(config?.settingPins ?? [])]
    .filter(([key, { text }]) => isNamedSecret(key) && !/^(?:\d+|true|false)$/.test(text))
    .map(([, { text }]) => text);

async function secretSettings(ctx: Ctx): Promise<string[]> {
  // They may be older than the program, or sealed with another key: then none is known.
  await refresh(ctx).catch(() => undefined);
  const secrets = list(ctx, { isWhole: true }).filter(({ isSecret }) => isSecret);
  const values = secrets.flatMap(({ key }) => textsIn(get(ctx, key, true).value));
  // Whoever knows these addresses can report in the name of this installation.
  return [...values, ...textsIn(ctx.settings.get(alertsPing)), ...textsIn(ctx.settings.get(alertsWebhook))];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
