/** Looking at the panel as somebody else, and what there is to grant (licensing 4.2, admin.md 7). */
import { personOf } from '#kernel/actor.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { invalidField } from '#kernel/service/errors.ts';
import * as accounts from '../accounts/index.ts';
import { ANY_STAFF, NoBody } from '../admin/index.ts';
import { labelOf, PARTS, permissionsIn } from '../permissions/index.ts';
import { beginView, endView } from '../sessions/index.ts';
import { browserOf, personIn } from './person.ts';
import { PermissionCatalogue, ViewAsBody, Viewing } from './schemas.ts';

const base = '/api/v1/admin';

export const viewEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/auth/view-as`,
    summary: 'View the panel as someone else; nothing can be changed until you stop',
    scope: 'users:write',
    limit: null,
    body: ViewAsBody,
    replies: { 200: Viewing },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    async handle(ctx, { body: { userId }, visitor }) {
      const { session, csrfToken } = browserOf(visitor);
      const viewer = personIn(ctx);
      if (userId === viewer) throw invalidField('userId', 'is your own account');
      const user = await accounts.beginViewAs(ctx, userId);
      beginView(session, viewer, user.id);
      return ok({ user, viewing: { id: viewer, label: ctx.actor.label }, csrfToken: csrfToken() });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/auth/view-as`,
    summary: 'Stop viewing the panel as someone else',
    scope: ANY_STAFF,
    despite: ['viewing'],
    limit: null,
    body: NoBody,
    bodyOptional: true,
    replies: { 200: Viewing },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { visitor }) {
      const { session, csrfToken } = browserOf(visitor);
      const viewed = personIn(ctx);
      const { id, label } = personOf(ctx.actor);
      const own = ctx.with({ actor: { kind: 'staff', id, label } });
      if (id !== viewed) await accounts.endViewAs(ctx, viewed);
      endView(session);
      return ok({ user: await accounts.get(own, id ?? viewed), viewing: null, csrfToken: csrfToken() });
    },
  }),
  endpoint({
    method: 'get',
    path: `${base}/permissions`,
    summary: 'List the permissions that a role can hold, by area',
    scope: ANY_STAFF,
    limit: null,
    replies: { 200: PermissionCatalogue },
    handle: async () =>
      ok({
        areas: PARTS.map((name) => ({
          name,
          permissions: permissionsIn(name).map((key) => ({ key, label: labelOf(key) })),
        })),
      }),
  }),
];
