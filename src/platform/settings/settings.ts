import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import type { Setting } from '#kernel/settings.ts';
import { settingEvents } from './events.ts';
import * as repo from './repository.ts';
import { missingSetting, type SettingsStore } from './store.ts';
import { checkValue, parseText } from './values.ts';
import { SETTING_TYPES, type SettingChange, type SettingView } from './view.ts';

const MASK = '***';

/** Reads what another process has changed. */
export const refresh = (ctx: Ctx): Promise<boolean> => store(ctx).refresh(ctx);

/**
 * Has every server read anew what it keeps in memory until the version of the settings is another one, in the
 * transaction of the change.
 */
export const noteChange = (ctx: Ctx): Promise<unknown> => repo.nextVersion(ctx);

/** Which settings. */
export interface SettingFilter {
  readonly group?: string | undefined;
  /** Whether it differs from its default. */
  readonly changed?: boolean | undefined;
  /** Also those whose subject this version does not have. */
  readonly isWhole?: boolean;
}

/** Settings of the program, secrets masked. */
export const list = (ctx: Ctx, { group, changed, isWhole = false }: SettingFilter = {}): SettingView[] =>
  store(ctx)
    .declared.filter((one) => (isWhole || one.isOffered) && (group === undefined || one.group === group))
    .map((one) => view(ctx, one, false))
    .filter((one) => changed === undefined || one.changed === changed);

/**
 * One setting.
 *
 * @param reveal shows a secret's value
 * @throws AppError NOT_FOUND for an unknown key
 */
export const get = (ctx: Ctx, key: string, reveal = false): SettingView => view(ctx, find(ctx, key), reveal);

/** The value of a secret setting; that somebody looked at it is on record. @throws AppError NOT_FOUND */
export async function reveal(ctx: Ctx, key: string): Promise<SettingView> {
  const { secret } = find(ctx, key);
  if (secret) await ctx.tx((ctx) => settingEvents.tell(ctx, 'SETTING_REVEALED', key, {}));
  return get(ctx, key, true);
}

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
  return only(await change(ctx, [await storing(ctx, target, value)]));
}

/** Puts a setting back to its default. Throws as `set` does. */
export const unset = async (ctx: Ctx, key: string): Promise<SettingChange> =>
  only(await change(ctx, [removing(writable(ctx, key))]));

/**
 * Changes several settings at once, or none of them.
 *
 * @param group that all of them are of
 * @param values by key; null puts one back to its default
 * @throws AppError VALIDATION_ERROR, also for a key that is none of the group's; CONFLICT as `set` does
 */
export async function setSeveral(
  ctx: Ctx,
  group: string,
  values: Readonly<Record<string, unknown>>,
): Promise<SettingChange[]> {
  const plans: Plan[] = [];
  for (const [key, value] of Object.entries(values)) {
    if (store(ctx).find(key)?.group !== group) throw invalidField(key, `is not a setting of ${group}`);
    const target = writable(ctx, key);
    plans.push(value === null ? removing(target) : await storing(ctx, target, checkValue(target, value)));
  }
  return change(ctx, plans);
}

/**
 * Changes several settings at once, or none of them, by texts as people type them.
 *
 * @param texts by key; null puts one back to its default
 * @throws AppError as `set` does; VALIDATION_ERROR names every setting that is wrong
 */
export async function setTexts(
  ctx: Ctx,
  texts: Readonly<Record<string, string | null>>,
): Promise<SettingChange[]> {
  const plans: Plan[] = [];
  const faults: AppError[] = [];
  for (const [key, text] of Object.entries(texts)) {
    const target = writable(ctx, key);
    try {
      plans.push(text === null ? removing(target) : await storing(ctx, target, parseText(target, text)));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'VALIDATION_ERROR')) throw error;
      faults.push(error);
    }
  }
  if (faults.length > 0) throw together(faults);
  return change(ctx, plans);
}

/** As one: whoever fills in a form wants to know all that is wrong. */
function together(faults: readonly AppError[]): AppError {
  if (faults.length === 1) return faults[0] as AppError;
  const issues = faults.flatMap(({ details }) => (details.issues ?? []) as object[]);
  return fail('VALIDATION_ERROR', faults.map(({ message }) => message).join('; '), { details: { issues } });
}

/**
 * Changes a setting depending on its value, such as one entry of many: nobody's change in between is lost.
 *
 * @param next makes the new value of the one before, while no other setting can be changed
 * @throws AppError as `set` does, and what `next` throws
 */
export async function revise<T>(
  ctx: Ctx,
  target: Setting<T>,
  next: (before: T) => T,
): Promise<SettingChange> {
  const plain = writable(ctx, target.key);
  for (;;) {
    await store(ctx).refresh(ctx);
    const seen = store(ctx).version;
    const value = checkValue(plain, next(ctx.settings.get(target)));
    const done = await change(ctx, [await storing(ctx, plain, value)], seen);
    if (done.length > 0) return only(done);
  }
}

/** What became of values that came in a file. */
export interface Applied {
  readonly changes: SettingChange[];
  /** How many had their value already. */
  readonly unchanged: number;
  /** Keys that the configuration fixes at another value. */
  readonly pinned: { key: string; pinnedBy: string }[];
  /** Keys that this program does not have. */
  readonly unknown: string[];
}

/**
 * Takes over settings of another installation, all that can be taken or none: what is unknown here or fixed by the
 * configuration is told and left out.
 *
 * @param values by key; null puts one back to its default
 * @throws AppError VALIDATION_ERROR for a value that does not fit, or a secret that is masked
 */
export async function apply(ctx: Ctx, values: Readonly<Record<string, unknown>>): Promise<Applied> {
  await store(ctx).refresh(ctx);
  const plans: Plan[] = [];
  const pinned: Applied['pinned'] = [];
  const unknown: string[] = [];
  for (const [key, given] of Object.entries(values)) {
    const target = store(ctx).find(key);
    if (!target) {
      unknown.push(key);
      continue;
    }
    if (target.secret && given === MASK) throw invalidField(key, 'is a secret missing from the file');
    const isDefault = given === null && !target.schema.safeParse(null).success;
    const value = isDefault ? target.default : checkValue(target, given);
    if (isDeepStrictEqual(ctx.settings.get(target), value)) continue;
    const pinnedBy = store(ctx).pinnedBy(key);
    if (pinnedBy !== null) pinned.push({ key, pinnedBy });
    else plans.push(isDefault ? removing(target) : await storing(ctx, target, value));
  }
  const left = plans.length + pinned.length + unknown.length;
  const unchanged = Object.keys(values).length - left;
  return { changes: plans.length > 0 ? await change(ctx, plans) : [], unchanged, pinned, unknown };
}

/** A value on its way. */
interface Plan {
  readonly target: Setting;
  readonly value: unknown;
  write(ctx: Ctx): Promise<unknown>;
}

async function storing(ctx: Ctx, target: Setting, given: unknown): Promise<Plan> {
  await target.check?.(ctx, given);
  const value = target.tidy ? await target.tidy(given) : given;
  const { key, secret: isSecret } = target;
  const write = (ctx: Ctx) => {
    const text = JSON.stringify(value);
    const stored = isSecret ? ctx.keyring.seal('secret', text, `setting:${key}`) : text;
    return repo.upsert(ctx, { key, value: stored, isSecret });
  };
  return { target, value, write };
}

const removing = (target: Setting): Plan => ({
  target,
  value: target.default,
  write: (ctx) => repo.remove(ctx, target.key),
});

const only = ([one]: SettingChange[]): SettingChange => one as SettingChange;

/** @param known version that the plans were made of: when there is another one, nothing is changed, and none are returned */
async function change(ctx: Ctx, plans: readonly Plan[], known?: number): Promise<SettingChange[]> {
  await store(ctx).refresh(ctx);
  const seen = store(ctx).version;
  if (known !== undefined && seen !== known) return [];
  const before = plans.map(({ target }) => ctx.settings.get(target));
  const changes = plans.map(({ target, value }, at) => ({
    key: target.key,
    old: shown(target, before[at], false),
    new: shown(target, value, false),
  }));
  const isDone = await ctx.tx(async (ctx) => {
    // Somebody may have changed one between the two statements: then there is something to tell in any case.
    await repo.nextVersion(ctx);
    const isAsSeen = (await repo.readVersion(ctx)) === seen + 1;
    if (known !== undefined && !isAsSeen) return false;
    for (const [at, { target, value, write }] of plans.entries()) {
      await write(ctx);
      if (isAsSeen && isDeepStrictEqual(before[at], value)) continue;
      const sides = { before: { value: changes[at]?.old }, after: { value: changes[at]?.new } };
      await settingEvents.tell(ctx, 'SETTING_CHANGED', target.key, {}, sides);
    }
    return true;
  });
  await store(ctx).refresh(ctx);
  return isDone ? changes : [];
}

function view(ctx: Ctx, one: Setting, reveal: boolean): SettingView {
  const pinnedBy = store(ctx).pinnedBy(one.key);
  return {
    key: one.key,
    value: shown(one, ctx.settings.get(one), reveal),
    default: one.default,
    type: typeOf(one),
    group: one.group,
    description: one.description,
    ...(pinnedBy !== null && { pinnedBy }),
    changed: store(ctx).isChanged(one.key),
    isSecret: one.secret,
    ...touchOf(ctx, one.key),
  };
}

/** Who stored the value, and when. */
function touchOf(ctx: Ctx, key: string): Pick<SettingView, 'updatedAt' | 'updatedBy'> {
  const { updatedAt, updatedBy } = store(ctx).changeOf(key) ?? {};
  return { ...(updatedAt && { updatedAt }), ...(updatedBy && { updatedBy }) };
}

/** The texts that a setting takes, where it takes no others; empty for a free one. @throws AppError NOT_FOUND */
export function choicesOf(ctx: Ctx, key: string): readonly string[] {
  const { enum: choices = [] } = z.toJSONSchema(find(ctx, key).schema, { unrepresentable: 'any' });
  return choices.map(String);
}

/** The JSON type, for panels and scripts. */
function typeOf({ schema }: Setting): SettingView['type'] {
  const { type } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return SETTING_TYPES.find((one) => one === type) ?? 'any';
}

const shown = (one: Setting, value: unknown, reveal: boolean): unknown =>
  one.secret && !reveal && value !== one.default ? MASK : value;

/** Every runtime is built with the store; ctx only promises the reading half to the kernel. */
const store = (ctx: Ctx): SettingsStore => ctx.settings as SettingsStore;

function find(ctx: Ctx, key: string): Setting {
  const found = store(ctx).find(key);
  if (found) return found;
  throw missingSetting(store(ctx), key);
}

function writable(ctx: Ctx, key: string): Setting {
  const found = find(ctx, key);
  const pinnedBy = store(ctx).pinnedBy(key);
  if (pinnedBy === null) return found;
  throw fail('CONFLICT', `${key} is set by ${pinnedBy}`, {
    details: { hint: `remove ${pinnedBy} and restart the server` },
  });
}
