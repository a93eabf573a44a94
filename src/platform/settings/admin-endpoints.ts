/** What an operator changes while the program runs (licensing 4.2, Settings). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional, report, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { NoteBody, noteField, noting, queryFlag, requireWholeInstallation } from '../admin/index.ts';
import * as settings from './settings.ts';
import { SettingChange, SettingsApplied, SettingView } from './view.ts';

const base = '/api/v1/admin/settings';

const KeyParams = z.strictObject({ key: text({ min: 1, max: 100 }) });
const Listed = z.object({ items: z.array(SettingView) }).meta({ id: 'SettingList' });
const OneSetting = z.object({ setting: SettingView }).meta({ id: 'OneSetting' });
const Revealed = later(() =>
  z.object({ key: z.string(), value: z.unknown() }).meta({ id: 'SettingRevealed' }),
);
const Changes = z.object({ changes: z.array(SettingChange) }).meta({ id: 'SettingChanges' });

const SetBody = later(() =>
  z
    .strictObject({
      value: z.unknown().optional().describe('The new value, as JSON'),
      text: optional(text({ max: 100_000 })).describe('The value as typed text, instead of `value`'),
      note: noteField(),
    })
    .check((checked) => {
      const { value, text } = checked.value;
      if ((value === undefined) === (text === undefined))
        report(checked, 'required', 'either value or text is needed', ['value']);
    })
    .meta({ id: 'SettingBody' }),
);

const MOST_SET = { maxKeys: 200, maxKeyLength: 100, maxValueLength: 100_000 };
const SeveralBody = later(() =>
  z.strictObject({ values: jsonObject(MOST_SET), note: noteField() }).meta({ id: 'SettingsBody' }),
);

/** Settings are those of every tenant. */
function installation(ctx: Ctx): Ctx {
  requireWholeInstallation(ctx);
  return ctx;
}

/** As the database has them: another process may have changed one a moment ago. */
async function fresh(ctx: Ctx): Promise<Ctx> {
  await settings.refresh(ctx);
  return ctx;
}

const reading: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the settings with their values and defaults',
    scope: 'system:read',
    limit: null,
    query: later(() =>
      z.strictObject({ group: optional(text({ min: 1, max: 50 })), changed: optional(queryFlag()) }),
    ),
    replies: { 200: Listed },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => ok({ items: settings.list(await fresh(installation(ctx)), query) }),
  }),
  endpoint({
    method: 'get',
    path: `${base}/{key}`,
    summary: 'Show one setting; a secret shows as ***',
    scope: 'system:read',
    limit: null,
    params: KeyParams,
    replies: { 200: OneSetting },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) =>
      ok({ setting: settings.get(await fresh(installation(ctx)), params.key) }),
  }),
  endpoint({
    method: 'post',
    path: `${base}/{key}/reveal`,
    summary: 'Show the value of a secret setting',
    scope: 'system:write',
    limit: null,
    sudo: true,
    params: KeyParams,
    body: NoteBody,
    bodyOptional: true,
    replies: { 200: Revealed },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params, body }) {
      const { key, value } = await settings.reveal(noting(installation(ctx), body), params.key);
      return ok({ key, value });
    },
  }),
];

const changing: readonly Endpoint[] = [
  endpoint({
    method: 'patch',
    path: base,
    summary: 'Apply settings from another installation; unknown and pinned ones are reported and skipped',
    scope: 'system:write',
    limit: null,
    rehearsable: true,
    body: SeveralBody,
    replies: { 200: SettingsApplied },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { body: { values, note } }) =>
      ok(await settings.apply(noting(installation(ctx), { note }), values)),
  }),
  endpoint({
    method: 'put',
    path: `${base}/{key}`,
    summary: 'Change a setting',
    scope: 'system:write',
    limit: null,
    rehearsable: true,
    params: KeyParams,
    body: SetBody,
    replies: { 200: SettingChange },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    async handle(ctx, { params: { key }, body: { value, text, note } }) {
      const given = text === undefined ? { key, value } : { key, text };
      return ok(await settings.set(noting(installation(ctx), { note }), given));
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/{key}`,
    summary: 'Reset a setting to its default',
    scope: 'system:write',
    limit: null,
    rehearsable: true,
    params: KeyParams,
    replies: { 200: SettingChange },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    handle: async (ctx, { params }) => ok(await settings.unset(installation(ctx), params.key)),
  }),
];

const GROUP = 'licensing';

const ofLicensing: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: `${base}/licensing`,
    summary: 'List the settings of the license service',
    scope: 'licensing:read',
    limit: null,
    replies: { 200: Listed },
    handle: async (ctx) => ok({ items: settings.list(await fresh(ctx), { group: GROUP }) }),
  }),
  endpoint({
    method: 'patch',
    path: `${base}/licensing`,
    summary: 'Change settings of the license service, all or none; null restores the default',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    body: SeveralBody,
    replies: { 200: Changes },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    async handle(ctx, { body: { values, note } }) {
      const changes = await settings.setSeveral(noting(installation(ctx), { note }), GROUP, values);
      return ok({ changes });
    },
  }),
];

export const settingsEndpoints: readonly Endpoint[] = [...ofLicensing, ...reading, ...changing];
