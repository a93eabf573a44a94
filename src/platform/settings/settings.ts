import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import type { Setting } from '#kernel/settings.ts';
import { settingEvents } from './events.ts';
import * as repo from './repository.ts';
import type { SettingsStore } from './store.ts';
import { checkValue, parseText } from './values.ts';

export interface SettingView {
  key: string;
  value: unknown;
  default: unknown;
  group: string;
  description: string;
  /** What of the configuration fixes it: a variable, or a key of the config file. */
  pinnedBy?: string;
  changed: boolean;
}

export interface SettingChange {
  key: string;
  old: unknown;
  new: unknown;
}

const MASK = '***';

/** All settings of the program, secrets masked. */
export const list = (ctx: Ctx): SettingView[] => store(ctx).declared.map((one) => view(ctx, one, false));

/**
 * One setting.
 *
 * @param reveal shows a secret's value
 * @throws AppError NOT_FOUND for an unknown key
 */
export const get = (ctx: Ctx, key: string, reveal = false): SettingView => view(ctx, find(ctx, key), reveal);

/**
 * Changes a setting; servers see it within two seconds.
 *
 * @param input `{key, text}` as typed by an operator, or `{key, value}` as JSON
 * @throws AppError NOT_FOUND, also for what the value names; VALIDATION_ERROR; CONFLICT when the environment pins it
 */
export async function set(
  ctx: Ctx,
  input: { key: string } & ({ text: string } | { value: unknown }),
): Promise<SettingChange> {
  const target = writable(ctx, input.key);
  const value = 'text' in input ? parseText(target, input.text) : checkValue(target, input.value);
  await target.check?.(ctx, value);
  return change(ctx, target, value, async (ctx) => {
    const text = JSON.stringify(value);
    const stored = target.secret ? ctx.keyring.seal('secret', text, `setting:${target.key}`) : text;
    await repo.upsert(ctx, { key: target.key, value: stored, isSecret: target.secret });
  });
}

/** Puts a setting back to its default. Throws as `set` does. */
export async function unset(ctx: Ctx, key: string): Promise<SettingChange> {
  const target = writable(ctx, key);
  return change(ctx, target, target.default, async (ctx) => {
    await repo.remove(ctx, key);
  });
}

async function change(
  ctx: Ctx,
  target: Setting,
  value: unknown,
  write: (ctx: Ctx) => Promise<void>,
): Promise<SettingChange> {
  await store(ctx).refresh(ctx);
  const [before, seen] = [ctx.settings.get(target), store(ctx).version];
  const old = shown(target, before, false);
  await ctx.tx(async (ctx) => {
    // Somebody may have changed it between the two statements: then there is something to tell in any case.
    await repo.nextVersion(ctx);
    const isAsSeen = (await repo.readVersion(ctx)) === seen + 1;
    await write(ctx);
    if (isAsSeen && isDeepStrictEqual(before, value)) return;
    const sides = { before: { value: old }, after: { value: shown(target, value, false) } };
    await settingEvents.tell(ctx, 'SETTING_CHANGED', target.key, {}, sides);
  });
  await store(ctx).refresh(ctx);
  return { key: target.key, old, new: shown(target, ctx.settings.get(target), false) };
}

function view(ctx: Ctx, one: Setting, reveal: boolean): SettingView {
  const pinnedBy = store(ctx).pinnedBy(one.key);
  return {
    key: one.key,
    value: shown(one, ctx.settings.get(one), reveal),
    default: one.default,
    group: one.group,
    description: one.description,
    ...(pinnedBy !== null && { pinnedBy }),
    changed: store(ctx).isChanged(one.key),
  };
}

const shown = (one: Setting, value: unknown, reveal: boolean): unknown =>
  one.secret && !reveal && value !== one.default ? MASK : value;

/** Every runtime is built with the store; ctx only promises the reading half to the kernel. */
const store = (ctx: Ctx): SettingsStore => ctx.settings as SettingsStore;

function find(ctx: Ctx, key: string): Setting {
  const found = store(ctx).find(key);
  if (found) return found;
  throw fail('NOT_FOUND', `there is no setting ${key}`, {
    details: { hint: 'appctl settings list' },
  });
}

function writable(ctx: Ctx, key: string): Setting {
  const found = find(ctx, key);
  const pinnedBy = store(ctx).pinnedBy(key);
  if (pinnedBy === null) return found;
  throw fail('CONFLICT', `${key} is set by ${pinnedBy}`, {
    details: { hint: `remove ${pinnedBy} and restart the server` },
  });
}
