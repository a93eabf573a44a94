import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { mailSettings } from '#platform/mail/index.ts';
import * as settings from '#platform/settings/index.ts';
import {
  builtFeatures,
  type FeatureKey,
  featureKeys,
  featureSettings,
  storeSettings,
} from '#storefront/contract/settings.ts';

/** A setting with its value in the form of the specification. */
export interface StoreSetting {
  readonly key: string;
  readonly value: string;
  readonly default: string;
}

/** What the panel and programs need to know to offer a setting. */
export interface SettingDef {
  readonly key: string;
  readonly group: string;
  readonly type: 'boolean' | 'integer' | 'string' | 'json';
  readonly default: string;
  readonly help: string;
  readonly secret: boolean;
  readonly options: readonly string[];
}

/** A value as the specification writes it: `1` and `0`, numbers as digits, nothing as an empty text. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Those that the whole program shares and that the specification counts among the shop's. */
const shared = [
  'session_max_age_days',
  'session_idle_timeout_minutes',
  'require_admin_2fa',
  'min_password_length',
];

const keys: ReadonlySet<string> = new Set([
  ...shared,
  ...[...storeSettings, ...mailSettings, ...Object.values(featureSettings)].map(({ key }) => key),
]);

/** What belongs to the license service or to the installation, such as the audit log, is not the shop's to change. */
const isOfStore = ({ key }: { key: string }): boolean => keys.has(key);

const hidden = new Set<string>(featureKeys.filter((key) => !builtFeatures.includes(key)));

/** As the database has them: another process may have changed one a moment ago. */
async function ofStore(ctx: Ctx, group?: string): Promise<settings.SettingView[]> {
  await settings.refresh(ctx);
  return settings.list(ctx, { group, isWhole: true }).filter(isOfStore);
}

/** Every setting of the shop by its key, secrets masked (storefront-settled Z9). @param group only of this one */
export async function list(ctx: Ctx, group?: string): Promise<Record<string, string>> {
  const all = await ofStore(ctx, group);
  return Object.fromEntries(all.map(({ key, value }) => [key, textOf(value)]));
}

/** One setting. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, key: string): Promise<StoreSetting> {
  const found = (await ofStore(ctx)).find((one) => one.key === key);
  if (!found) throw unknownSetting(key);
  return { key, value: textOf(found.value), default: textOf(found.default) };
}

/** What each setting is and takes. Features that this version has not are not offered. */
export async function schema(ctx: Ctx): Promise<SettingDef[]> {
  const offered = (await ofStore(ctx)).filter(({ key }) => !hidden.has(key));
  return offered.map(({ key, group, type, default: initial, description, isSecret }) => ({
    key,
    group,
    type: kindOf(type),
    default: textOf(initial),
    help: description,
    secret: isSecret,
    options: settings.choicesOf(ctx, key),
  }));
}

function kindOf(type: settings.SettingView['type']): SettingDef['type'] {
  if (type === 'boolean' || type === 'integer') return type;
  return type === 'array' || type === 'object' ? 'json' : 'string';
}

/**
 * Changes settings, all of them or none.
 *
 * @param values by key: texts, numbers and flags as JSON has them; null puts one back to its default
 * @returns the keys whose value is another one now
 * @throws AppError NOT_FOUND for a key that the shop does not have; VALIDATION_ERROR; CONFLICT when the configuration
 *   fixes one
 */
export async function change(ctx: Ctx, values: Readonly<Record<string, unknown>>): Promise<string[]> {
  const known = new Set((await ofStore(ctx)).map(({ key }) => key));
  const unknown = Object.keys(values).find((key) => !known.has(key));
  if (unknown !== undefined) throw unknownSetting(unknown);
  const texts = Object.entries(values).map(([key, value]) => [key, value === null ? null : textOf(value)]);
  const changes = await settings.setTexts(ctx, Object.fromEntries(texts));
  return changes.filter((one) => textOf(one.old) !== textOf(one.new)).map(({ key }) => key);
}

/** Puts a setting back to its default. @throws AppError NOT_FOUND; CONFLICT as `change` does */
export async function reset(ctx: Ctx, key: string): Promise<StoreSetting> {
  await change(ctx, { [key]: null });
  return get(ctx, key);
}

/** The switches of what this version has. */
export const features = (ctx: Ctx): Record<string, boolean> =>
  Object.fromEntries(builtFeatures.map((key) => [key, ctx.settings.get(featureSettings[key])]));

/** As `features`, when others may have changed them. */
export async function currentFeatures(ctx: Ctx): Promise<Record<string, boolean>> {
  await settings.refresh(ctx);
  return features(ctx);
}

/** Switches features, all that are named or none. @throws AppError as `change` does */
export async function switchFeatures(
  ctx: Ctx,
  switches: Readonly<Record<string, unknown>>,
): Promise<Record<string, boolean>> {
  for (const [key, value] of Object.entries(switches)) {
    if (!featureKeys.includes(key as FeatureKey)) throw unknownSetting(key);
    if (typeof value !== 'boolean') throw invalidField(key, 'must be true or false');
  }
  await change(ctx, switches);
  return features(ctx);
}

const unknownSetting = (key: string) => fail('NOT_FOUND', `setting ${key.slice(0, 100)} does not exist`);
