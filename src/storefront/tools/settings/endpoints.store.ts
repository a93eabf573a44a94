/** Settings and features for staff (storefront-api.md, AJ). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { setPicture } from './pictures.ts';
import * as settings from './settings.ts';

const base = '/api/store/settings';

const KeyParams = z.object({ key: text({ min: 1, max: 100 }) });
const data = <S extends z.ZodType>(schema: S) => z.object({ data: schema });
const Values = z.record(z.string(), z.string());
const Switches = z.record(z.string(), z.boolean());
const StoreSetting = later(() =>
  z.object({ key: z.string(), value: z.string(), default: z.string() }).meta({ id: 'StoreSetting' }),
);
const SettingDef = later(() =>
  z
    .object({
      key: z.string(),
      group: z.string(),
      type: z.enum(['boolean', 'integer', 'string', 'json']),
      default: z.string(),
      help: z.string(),
      secret: z.boolean(),
      options: z.array(z.string()),
    })
    .meta({ id: 'SettingDef' }),
);
const Body = jsonObject({ maxKeys: 200, maxKeyLength: 100, maxValueLength: 100_000 });

const reading: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List every setting of the shop as text, secrets masked',
    scope: 'settings:read',
    limit: null,
    query: later(() => z.object({ group: optional(text({ min: 1, max: 50 })) })),
    replies: { 200: data(Values) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => ok({ data: await settings.list(ctx, query.group) }),
  }),
  endpoint({
    method: 'get',
    path: `${base}/schema`,
    summary: 'List the settings with their meaning and allowed values',
    scope: 'settings:read',
    limit: null,
    replies: { 200: data(z.array(SettingDef)) },
    handle: async (ctx) => ok({ data: await settings.schema(ctx) }),
  }),
  endpoint({
    method: 'get',
    path: `${base}/{key}`,
    summary: 'Show one setting',
    scope: 'settings:read',
    limit: null,
    params: KeyParams,
    replies: { 200: data(StoreSetting) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ data: await settings.get(ctx, params.key) }),
  }),
  endpoint({
    method: 'get',
    path: '/api/store/features',
    summary: 'List the parts of the shop that can be turned off',
    scope: 'settings:read',
    limit: null,
    replies: { 200: data(Switches) },
    handle: async (ctx) => ok({ data: await settings.currentFeatures(ctx) }),
  }),
];

const changing: readonly Endpoint[] = [
  endpoint({
    method: 'patch',
    path: base,
    summary: 'Change settings, all or none; null resets one',
    scope: 'settings:write',
    limit: null,
    body: Body,
    replies: { 200: data(z.object({ changed: z.array(z.string()) })) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { body }) => ok({ data: { changed: await settings.change(ctx, body) } }),
  }),
  endpoint({
    method: 'delete',
    path: `${base}/{key}`,
    summary: 'Reset a setting to its default',
    scope: 'settings:write',
    limit: null,
    params: KeyParams,
    replies: { 200: data(StoreSetting) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ data: await settings.reset(ctx, params.key) }),
  }),
  endpoint({
    method: 'patch',
    path: '/api/store/features',
    summary: 'Turn parts of the shop on and off',
    scope: 'settings:write',
    limit: null,
    body: Body,
    replies: { 200: data(Switches) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { body }) => ok({ data: await settings.switchFeatures(ctx, body) }),
  }),
];

const logo: Endpoint = endpoint({
  method: 'post',
  path: `${base}/logo`,
  summary: 'Upload the logo or icon of the shop',
  scope: 'settings:write',
  limit: null,
  query: z.object({
    kind: oneOf(['logo', 'favicon']).default('logo'),
    file_name: optional(text({ min: 1, max: 255 })),
  }),
  upload: { maxBytes: (ctx: Ctx) => ctx.imageLimitBytes },
  replies: { 200: data(z.object({ url: z.string() })) },
  errors: ['VALIDATION_ERROR'],
  async handle(ctx, { query: { kind, file_name }, raw: file }) {
    const fileName = file_name ?? file.filename;
    return ok({ data: { url: await setPicture(ctx, kind, { source: file.stream, fileName }) } });
  },
});

export const storeSettingsEndpoints: readonly Endpoint[] = [...reading, ...changing, logo];
