/** Who asks, and the own account (licensing 4.2). */
import { type Actor, type Permissions, scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { shownBy } from '#kernel/service/view.ts';
import * as accounts from '../accounts/index.ts';
import { ANY_STAFF, IdParams } from '../admin/index.ts';
import * as adminTokens from '../admin-tokens/index.ts';
import { PERMISSIONS } from '../permissions/index.ts';
import { personIn } from './person.ts';
import {
  Me,
  NewPasswordBody,
  OwnNameBody,
  OwnSessions,
  PasswordChanged,
  SessionEnded,
  SessionsEnded,
} from './schemas.ts';
import { changePassword, owedOf } from './sign-in.ts';

const base = '/api/v1/admin/me';

const account: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'Show who you are and what you may do',
    scope: ANY_STAFF,
    despite: ['owing'],
    limit: null,
    replies: { 200: Me },
    handle: async (ctx, { visitor }) => ok(await meOf(ctx, visitor)),
  }),
  endpoint({
    method: 'patch',
    path: base,
    summary: 'Change your name',
    scope: ANY_STAFF,
    rehearsable: true,
    limit: null,
    body: OwnNameBody,
    replies: { 200: Me },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body, visitor }) {
      await accounts.update(ctx, personIn(ctx), body);
      return ok(await meOf(ctx, visitor));
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/password`,
    summary: 'Change your password; every other session and login token ends',
    scope: ANY_STAFF,
    despite: ['owing'],
    limit: accounts.passwordTries,
    body: NewPasswordBody,
    replies: { 200: PasswordChanged },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body, visitor }) {
      await changePassword(ctx, visitor, body);
      return ok({ changed: true, csrfToken: visitor?.csrfToken() ?? null });
    },
  }),
];

const sessions: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: `${base}/sessions`,
    summary: 'List the browsers where you are signed in',
    scope: ANY_STAFF,
    limit: null,
    replies: { 200: OwnSessions },
    async handle(ctx, { visitor }) {
      const open = await accounts.sessionsOf(ctx, personIn(ctx));
      return ok({ sessions: open.map((one) => ({ ...one, isCurrent: one.id === visitor?.session.id })) });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/sessions`,
    summary: 'End all your other sessions',
    scope: ANY_STAFF,
    limit: null,
    replies: { 200: SessionsEnded },
    handle: async (ctx, { visitor }) =>
      ok({ ended: await accounts.endSessions(ctx, personIn(ctx), visitor?.session.id ?? NO_SESSION) }),
  }),
  endpoint({
    method: 'delete',
    path: `${base}/sessions/{id}`,
    summary: 'End one of your sessions',
    scope: ANY_STAFF,
    limit: null,
    params: IdParams,
    replies: { 200: SessionEnded },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params }) {
      await accounts.endSession(ctx, personIn(ctx), params.id);
      return ok({ ended: true });
    },
  }),
];

export const meEndpoints: readonly Endpoint[] = [...account, ...sessions];

/** Of no session: a login token that ends the sessions of its user goes on itself. */
const NO_SESSION = '';

/** @throws AppError NOT_FOUND for an account or a token that has gone meanwhile */
async function meOf(ctx: Ctx, visitor: Visitor | null): Promise<Me> {
  const { actor } = ctx;
  const user =
    actor.kind === 'staff' || actor.tokenId !== undefined ? await accounts.get(ctx, idOf(actor)) : null;
  const token = actor.kind === 'admin' ? await adminTokens.get(ctx, actor.tokenId ?? idOf(actor)) : null;
  return {
    user,
    token: token && shownBy(Me.shape.token.unwrap(), token),
    roles: user ? user.roles : token ? [token.role] : [],
    permissions: listed(actor.kind === 'cli' ? 'all' : (actor.permissions ?? [])),
    scopes: {
      ...listedScope(actor, 'tenant'),
      ...listedScope(actor, 'license_product'),
      ...listedScope(actor, 'vendor'),
    },
    owes: user && !actor.viewing ? owedOf(ctx, user) : null,
    viewing: actor.viewing ?? null,
    csrfToken: visitor?.csrfToken() ?? null,
  };
}

const idOf = ({ id }: Actor): string => id ?? '';

const listed = (permissions: Permissions): string[] => [
  ...(permissions === 'all' ? PERMISSIONS : permissions),
];

function listedScope(actor: Actor, kind: keyof Me['scopes']): Me['scopes'] {
  const ids = scopeOf(actor, kind);
  return ids === null ? {} : { [kind]: [...ids] };
}
