/** The own account of staff by the JSON of the store (storefront-api.md, Q). */
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import * as accounts from '../../accounts/index.ts';
import { IdParams } from '../../admin/index.ts';
import { labelOf, PARTS, PERMISSIONS, permissionsIn } from '../../permissions/index.ts';
import { OWN_ACCOUNT, personIn } from '../person.ts';
import { changePassword, owedOf } from '../sign-in.ts';
import { namingFields } from './faults.ts';
import * as schemas from './schemas.ts';

const { data } = schemas;

const base = '/api/store/auth';

const me: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: `${base}/me`,
    summary: 'Show your account and its permissions',
    scope: OWN_ACCOUNT,
    despite: ['owing'],
    limit: null,
    replies: () => ({ 200: data(schemas.Me) }),
    handle: async (ctx) => ok({ data: await ownView(ctx) }),
  }),
  endpoint({
    method: 'patch',
    path: `${base}/me`,
    summary: 'Change your name or time zone; fields that are not sent stay as they are',
    scope: OWN_ACCOUNT,
    rehearsable: true,
    limit: null,
    body: schemas.OwnChanges,
    replies: () => ({ 200: data(schemas.Me) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body }) {
      await accounts.update(ctx, personIn(ctx), body);
      return ok({ data: await ownView(ctx) });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/change-password`,
    summary: 'Change your password; every other session and login token ends',
    scope: OWN_ACCOUNT,
    despite: ['owing'],
    limit: accounts.passwordTries,
    body: schemas.NewPassword,
    replies: () => ({ 200: data(schemas.PasswordChanged) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body, visitor }) {
      const given = { currentPassword: body.current_password, password: body.new_password };
      await namingFields({ currentPassword: 'current_password', password: 'new_password' }, () =>
        changePassword(ctx, visitor, given),
      );
      return ok({ data: { changed: true, csrf_token: visitor?.csrfToken() ?? null } });
    },
  }),
];

const sessions: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: `${base}/sessions`,
    summary: 'List the browsers where you are signed in',
    scope: OWN_ACCOUNT,
    limit: null,
    replies: () => ({ 200: data(schemas.OwnSession.array()) }),
    async handle(ctx, { visitor }) {
      const open = await accounts.sessionsOf(ctx, personIn(ctx));
      return ok({
        data: open.map(({ id, ip, userAgent, createdAt, lastSeenAt }) => ({
          ...{ id, ip },
          user_agent: userAgent,
          created_at: createdAt,
          last_seen_at: lastSeenAt,
          current: id === visitor?.session.id,
        })),
      });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/sessions/{id}`,
    summary: 'End one of your sessions',
    scope: OWN_ACCOUNT,
    limit: null,
    params: IdParams,
    replies: () => ({ 200: data(schemas.Deleted) }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params }) {
      await accounts.endSession(ctx, personIn(ctx), params.id);
      return ok({ data: { deleted: true } });
    },
  }),
];

const permissions: Endpoint = endpoint({
  method: 'get',
  path: '/api/store/permissions',
  summary: 'List the permissions that a role can hold, by area',
  scope: 'users:read',
  limit: null,
  replies: () => ({ 200: data(schemas.PermissionArea.array()) }),
  handle: async () =>
    ok({
      data: PARTS.map((area) => ({
        area,
        permissions: permissionsIn(area).map((key) => ({ key, label: labelOf(key) })),
      })),
    }),
});

export const storeAccountEndpoints: readonly Endpoint[] = [...me, ...sessions, permissions];

async function ownView(ctx: Ctx) {
  const user = await accounts.get(ctx, personIn(ctx));
  const { permissions = [], viewing } = ctx.actor;
  return {
    ...(await accounts.adminUserView(ctx, user)),
    permissions: [...(permissions === 'all' ? PERMISSIONS : permissions)],
    owes: viewing ? null : owedOf(ctx, user),
  };
}
