import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { sentFields } from '#kernel/service/input.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { API_KEY_SCOPES, type ApiKeyScope } from '#licensing/contract/enumerations.ts';
import { scopePermissions } from '#licensing/contract/scopes.ts';
import { action, adminResource, type Beside, beside } from '#platform/admin/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { ApiKeyDetails, ApiKeyView, apiKeyView } from '#platform/api-keys/view.ts';
import { requireGrantable } from '#platform/roles/index.ts';
import { explainRefusals } from '../limit-refusals/index.ts';
import { callsOfKeys } from '../statistics/index.ts';
import { ApiKeyCreate, ApiKeyRevokeBody, ApiKeyRotateBody, ApiKeyUpdate } from './schemas.ts';
import { apiKeyScreen } from './screen.ts';

type ApiKey = apiKeys.ApiKey;

/** Keys of the license API. */
export const licenseKeyRows = apiKeys.apiKeyRowsOf('license', API_KEY_SCOPES);

const rawKey = { rawKey: z.string().describe('The secret, shown only once; send it as `X-API-Key`') };

/** Nobody gives what they lack (admin.md 6.1). @throws AppError INSUFFICIENT_SCOPE */
const requireMayHandOut = ({ actor }: Ctx, scope: ApiKeyScope): void =>
  requireGrantable(actor, scopePermissions[scope]);

const made = ({ apiKey, secret }: { apiKey: ApiKey; secret: string }): Beside<ApiKey> =>
  beside(apiKey, { rawKey: secret });

/**
 * What was sent, with ids of products in place of their slugs.
 *
 * @throws AppError NOT_FOUND for a product that does not exist
 */
async function sent<T extends Pick<z.output<typeof ApiKeyUpdate>, 'productIds' | 'limits'>>(
  ctx: Ctx,
  input: T,
) {
  const { productIds, limits } = input;
  const found = await Promise.all((productIds ?? []).map((named) => products.get(ctx, named)));
  return sentFields({
    ...input,
    ...(productIds && { productIds: [...new Set(found.map(({ id }) => id))] }),
    ...(limits && { limits: sentFields(limits) }),
  });
}

async function viewsOf(ctx: Ctx, keys: readonly ApiKey[]): Promise<z.output<typeof ApiKeyView>[]> {
  const calls = await callsOfKeys(
    ctx,
    keys.map(({ id }) => id),
  );
  return keys.map((key) => apiKeyView(key, calls(key.id)));
}

async function detailsOf(ctx: Ctx, key: ApiKey): Promise<z.output<typeof ApiKeyDetails>> {
  const found = await explainRefusals(ctx, { subject: key.id });
  const refusals = found.map(({ bucket, limit, count, firstAt, lastAt, command }) => ({
    bucket,
    limit,
    count,
    firstAt,
    lastAt,
    command,
  }));
  const calls = await callsOfKeys(ctx, [key.id]);
  return { ...apiKeyView(key, calls(key.id)), refusals };
}

/** Keys that programs open the license API with, for staff (licensing 4.2, API keys). */
export const apiKeyResource = adminResource<ApiKey, typeof ApiKeyCreate, typeof ApiKeyUpdate>({
  name: 'api-keys',
  labels: { one: 'API key', many: 'API keys' },
  about: 'Keys that programs call the license API with',
  needs: { read: 'licensing:read', create: 'licensing:secrets', write: 'licensing:write' },
  screen: apiKeyScreen,
  rows: licenseKeyRows,
  create: {
    schema: ApiKeyCreate,
    summary: 'Create an API key; its secret is shown once',
    sudo: true,
    beside: rawKey,
    errors: ['NOT_FOUND'],
    run: async (ctx, input, how) => {
      const { scope, name } = input;
      requireMayHandOut(ctx, scope);
      const key = { ...(await sent(ctx, input)), name, service: 'license' as const, scope, scopes: [scope] };
      return made(await apiKeys.create(ctx, key, how));
    },
  },
  edit: {
    schema: ApiKeyUpdate,
    summary: 'Change an API key; fields and limits that are not sent stay as they are',
    errors: [],
    run: async (ctx, id, input, how) => apiKeys.update(ctx, 'license', id, await sent(ctx, input), how),
  },
  actions: {
    revoke: action<ApiKey, typeof ApiKeyRevokeBody>({
      label: 'Revoke',
      summary: 'Revoke an API key immediately and permanently',
      needs: 'licensing:write',
      level: 'moderate',
      where: 'both',
      input: ApiKeyRevokeBody,
      errors: [],
      when: ({ revokedAt }) => revokedAt === null,
      run: (ctx, id, { reason }, how) =>
        apiKeys.revoke(ctx, 'license', id, { ...how, note: reason ?? how.note }),
    }),
    rotate: action<ApiKey, typeof ApiKeyRotateBody>({
      label: 'Rotate',
      summary: 'Give an API key a new secret; the old one stays valid for the overlap',
      needs: 'licensing:secrets',
      level: 'moderate',
      where: 'row',
      sudo: true,
      input: ApiKeyRotateBody,
      beside: rawKey,
      answer: 'ApiKeyRotated',
      when: ({ revokedAt }) => revokedAt === null,
      async run(ctx, id, { overlapSeconds = 0 }, how) {
        // A scope never changes.
        requireMayHandOut(ctx, (await apiKeys.get(ctx, 'license', id)).scope as ApiKeyScope);
        return made(await apiKeys.rotate(ctx, 'license', id, overlapSeconds, how));
      },
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/api-keys',
      item: 'apiKey',
      view: ApiKeyView,
      toViews: (keys, ctx) => viewsOf(ctx, keys),
      details: { view: ApiKeyDetails, toView: (key, ctx) => detailsOf(ctx, key) },
      summaries: { get: 'Show one API key, and its rate limit refusals of the last 24 hours' },
    },
  ],
});
