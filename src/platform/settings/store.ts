import type { SettingPins } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Keyring } from '#kernel/crypto.ts';
import { nearest } from '#kernel/edit-distance.ts';
import type { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import type { Setting } from '#kernel/settings.ts';
import type { SettingsReader } from '#kernel/settings-reader.ts';
import * as repo from './repository.ts';
import { parseText } from './values.ts';

/** Who changed a setting last, and when. */
export type SettingTouch = Pick<repo.StoredSetting, 'updatedBy' | 'updatedAt'>;

interface Held extends SettingTouch {
  readonly value: unknown;
}

/** Settings in memory: request paths read them without a query. */
export interface SettingsStore extends SettingsReader {
  readonly declared: readonly Setting[];
  find(key: string): Setting | undefined;
  /** The variable, or the key and its config file, that fixes a setting; null: nothing does. */
  pinnedBy(key: string): string | null;
  /** Whether a setting differs from its default. */
  isChanged(key: string): boolean;
  /** Who changed the stored value last, and when; null while none is stored. */
  changeOf(key: string): SettingTouch | null;
  /** Reads the database anew when its version has changed; answers whether it had. */
  refresh(ctx: Ctx): Promise<boolean>;
}

/**
 * @param declared every setting of the program; a key may be declared once
 * @param pins by setting key, what the configuration fixes: it wins and cannot be changed at run time
 * @throws AppError VALIDATION_ERROR when a pin does not fit its setting
 */
export function createSettingsStore(
  declared: readonly Setting[],
  pins: SettingPins,
  keyring: Keyring,
): SettingsStore {
  const byKey = new Map(declared.map((one) => [one.key, one]));
  if (byKey.size !== declared.length) throw new Error('a setting is declared twice');
  const pinned = new Map<string, { value: unknown; by: string }>();
  // Names of variables have no case, keys of settings may: windowSeconds.
  const byLowerKey = new Map(declared.map((one) => [one.key.toLowerCase(), one]));
  for (const [key, { text, by }] of pins) {
    const found = byLowerKey.get(key.toLowerCase());
    if (found) pinned.set(found.key, { value: parseText(found, text), by });
  }
  let stored = new Map<string, Held>();
  let seen = -1;
  return {
    declared,
    get version() {
      return seen;
    },
    get<T>({ key, default: initial }: Setting<T>): T {
      const pin = pinned.get(key);
      if (pin) return pin.value as T;
      const held = stored.get(key);
      return held ? (held.value as T) : initial;
    },
    find: (key) => byKey.get(key),
    pinnedBy: (key) => pinned.get(key)?.by ?? null,
    isChanged: (key) => pinned.has(key) || stored.has(key),
    changeOf: (key) => stored.get(key) ?? null,
    async refresh(ctx) {
      const version = await repo.readVersion(ctx);
      if (version === seen) return false;
      stored = readRows(await repo.list(ctx), byKey, keyring);
      seen = version;
      return true;
    },
  };
}

/** `licensing.trash_days` is fixed by `APPCTL_SETTING_LICENSING__TRASH_DAYS`. */
export const pinName = (key: string): string => `APPCTL_SETTING_${key.toUpperCase().replaceAll('.', '__')}`;

/** Rows of settings that this program does not know, or whose value no longer fits, leave the default in force. */
function readRows(
  rows: readonly repo.StoredSetting[],
  byKey: ReadonlyMap<string, Setting>,
  keyring: Keyring,
): Map<string, Held> {
  const values = new Map<string, Held>();
  for (const { key, value, isSecret, updatedBy, updatedAt } of rows) {
    const text = isSecret ? keyring.open('secret', value, `setting:${key}`) : value;
    const parsed = byKey.get(key)?.schema.safeParse(JSON.parse(text));
    if (parsed?.success) values.set(key, { value: parsed.data, updatedBy, updatedAt });
  }
  return values;
}

/** @returns NOT_FOUND, with the setting that was probably meant */
export function missingSetting({ declared }: Pick<SettingsStore, 'declared'>, key: string): AppError {
  const meant = nearest(
    key,
    declared.map((one) => one.key),
  );
  const hint = meant === undefined ? 'appctl settings list' : `did you mean ${meant}?`;
  return fail('NOT_FOUND', `setting ${key} was not found`, { details: { hint } });
}
