import { z } from 'zod';
import { integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { sentFields } from '#kernel/service/input.ts';
import { later } from '#kernel/sharing.ts';
import { action, adminResource, type Beside, beside } from '#platform/admin/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { API_KEY_SCOPES } from '#storefront/contract/scopes.ts';
import { create, rotate } from './api-keys.ts';
import { storeKeyScreen } from './screen.ts';
import { StoreKeyView, storeKeyView } from './view.ts';

type ApiKey = apiKeys.ApiKey;

const listOf = (longest: number, most: number) =>
  z.array(text({ min: 1, max: longest }), { error: 'must be a list' }).max(most);

const changeable = {
  name: text({ min: 1, max: 100 }),
  ipAllowlist: optional(listOf(100, 50)),
  allowedOrigins: optional(listOf(2048, 20)),
  expiresAt: timestamp().nullable().optional(),
};
const Create = later(() =>
  z.strictObject({
    ...changeable,
    scopes: z
      .array(oneOf(API_KEY_SCOPES), {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of scopes'),
      })
      .min(1)
      .max(API_KEY_SCOPES.length),
  }),
);
const Update = z.strictObject({ ...changeable, name: optional(changeable.name) });
/** A week at most. */
const Rotation = z.strictObject({ overlapSeconds: optional(integer(0, 604_800)) });

const shownOnce = { key: z.string().describe('Shown only once; send it as `Authorization: Bearer`') };

const made = ({ apiKey, secret }: { apiKey: ApiKey; secret: string }): Beside<ApiKey> =>
  beside(apiKey, { key: secret });

/** Keys that programs open the shop's API with, for staff (storefront-api.md, AN). */
export const storeKeyResource = adminResource<ApiKey, typeof Create, typeof Update>({
  name: 'store-api-keys',
  labels: { one: 'shop API key', many: 'shop API keys' },
  about: 'Keys that programs call the shop API with',
  needs: { read: 'api_keys:read', create: 'api_keys:write', write: 'api_keys:write' },
  screen: storeKeyScreen,
  rows: apiKeys.apiKeyRowsOf('store', API_KEY_SCOPES),
  create: {
    schema: Create,
    summary: 'Create an API key; its secret is shown once',
    sudo: true,
    beside: shownOnce,
    run: async (ctx, input, how) => made(await create(ctx, input, how)),
  },
  edit: {
    schema: Update,
    hasVersion: false,
    summary: 'Change an API key; fields that are not sent stay as they are',
    run: (ctx, id, input, how) => apiKeys.update(ctx, 'store', id, sentFields(input), how),
  },
  actions: {
    revoke: action<ApiKey>({
      label: 'Revoke',
      summary: 'Revoke an API key immediately and permanently',
      needs: 'api_keys:write',
      level: 'moderate',
      where: 'row',
      when: ({ revokedAt }) => revokedAt === null,
      run: (ctx, id, _input, how) => apiKeys.revoke(ctx, 'store', id, how),
    }),
    rotate: action<ApiKey, typeof Rotation>({
      label: 'Rotate',
      summary: 'Rotate the secret of an API key',
      needs: 'api_keys:write',
      level: 'moderate',
      where: 'row',
      sudo: true,
      input: Rotation,
      beside: shownOnce,
      answer: 'StoreApiKeyRotated',
      when: ({ revokedAt }) => revokedAt === null,
      run: async (ctx, id, { overlapSeconds = 0 }, how) => made(await rotate(ctx, id, overlapSeconds, how)),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/api-keys',
      item: 'apiKey',
      type: 'StoreApiKey',
      view: StoreKeyView,
      toView: storeKeyView,
      without: ['export', 'bulk'],
    },
  ],
});
